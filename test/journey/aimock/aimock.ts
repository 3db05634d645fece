import { LLMock } from '@copilotkit/aimock'
import type { WireFormatId } from '../../../src/wire/formats.ts'
import { standardModel, startWorld, type World } from '../../support/world.ts'

/** Where each wire format is served by aimock, and what stands for a credential. */
const PLACES: Record<AimockWire, (url: string) => Readonly<Record<string, unknown>>> = {
  'openai-chat': (url) => ({ base_url: `${url}/v1`, quirks: { supports_n: false } }),
  'anthropic-messages': (url) => ({ base_url: `${url}/v1` }),
  'google-generate': (url) => ({ base_url: `${url}/v1beta` }),
  'bedrock-converse': (url) => ({ base_url: url }),
  'cohere-chat': (url) => ({ base_url: `${url}/v2` }),
}

export type AimockWire = Extract<
  WireFormatId,
  'openai-chat' | 'anthropic-messages' | 'google-generate' | 'bedrock-converse' | 'cohere-chat'
>
export const WIRES = Object.keys(PLACES) as AimockWire[]

/** A gateway in front of a provider that none of us has written. */
export interface AimockWorld extends AsyncDisposable {
  readonly world: World
  readonly mock: LLMock
}

export async function startAimockWorld(
  wire: AimockWire,
  script: (mock: LLMock) => unknown,
  options: ConstructorParameters<typeof LLMock>[0] = {},
): Promise<AimockWorld> {
  const mock = new LLMock({ port: 0, chunkSize: 4, ...options })
  script(mock)
  await mock.start()
  const world = await startWorld({
    config: () => ({
      providers: {
        aimock: {
          wire,
          api_key: 'aimock-key',
          timeouts: { connect: '30s', first_event: '30s', whole: '30s', idle: '30s' },
          ...PLACES[wire](mock.url),
        },
      },
      models: [standardModel({ targets: [{ provider: 'aimock', model: 'upstream-chat-1' }] })],
    }),
  })
  return {
    world,
    mock,
    async [Symbol.asyncDispose]() {
      await world.stop()
      await mock.stop()
    },
  }
}
