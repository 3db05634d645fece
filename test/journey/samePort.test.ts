import { expect, test } from 'bun:test'
import { portOwner } from '../../src/serve/portOwner.ts'
import { TEST_LIMIT_MS } from '../support/scale.ts'
import { createFolder, serveTollgate, startTollgate } from '../support/tollgateProcess.ts'

const HOSTS = ['127.0.0.1', '0.0.0.0', 'localhost']

test(
  'a second gateway on one port does not start, and names the first',
  async () => {
    await using first = await createFolder()
    await using second = await createFolder()
    const served = await serveTollgate(first)
    await using _ = served.process
    const { port } = new URL(served.url)
    for (const host of HOSTS) {
      await using refused = startTollgate(second, ['serve', '--host', host, '--port', port])
      expect(await refused.exitCode).toBe(1)
      expect(refused.output).toContain(`tollgate: ${host}:${port} is in use by process `)
      expect(refused.output).toContain('(another tollgate). Stop that, or choose another port with --port')
      expect(refused.output).not.toContain('listens on')
    }
  },
  TEST_LIMIT_MS,
)

test(
  'a gateway on the port of another program does not start, and names the program',
  async () => {
    await using folder = await createFolder()
    const other = Bun.listen({ hostname: '127.0.0.1', port: 0, socket: { data() {} } })
    await using refused = startTollgate(folder, ['serve', '--port', String(other.port)])
    expect(await refused.exitCode).toBe(1)
    expect(refused.output).toContain(`is in use by process ${process.pid} (bun`)
    other.stop(true)
    expect(portOwner(other.port)).toBeUndefined()
  },
  TEST_LIMIT_MS,
)

test(
  'a gateway on an address that is not of this machine does not start, and names address and setting',
  async () => {
    await using folder = await createFolder()
    for (const host of ['192.0.2.1', 'nowhere.invalid']) {
      await using refused = startTollgate(folder, ['serve', '--host', host])
      expect(await refused.exitCode).toBe(1)
      expect(refused.output).toContain(`tollgate: ${host} is not an address of this machine. Choose another`)
      expect(refused.output).toContain('--host, TOLLGATE_HOST or server.host')
    }
  },
  TEST_LIMIT_MS,
)
