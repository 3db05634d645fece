import { join } from 'node:path'
import { type Target, end, freePort, listening } from './target.ts'

/** nginx as a plain proxy, tuned for the purpose: what no gateway can undercut. Undefined where it is not installed. */
export async function startNginx(mockPort: number, folder: string): Promise<Target | undefined> {
  const program = Bun.which('nginx', { PATH: `${process.env.PATH}:/usr/sbin` })
  if (program === null) return undefined
  const port = freePort()
  const config = join(folder, 'nginx.conf')
  await Bun.write(config, configuration(port, mockPort, folder))
  const child = Bun.spawn([program, '-c', config, '-e', join(folder, 'nginx.log'), '-p', folder], {
    stdout: 'ignore',
    stderr: 'inherit',
  })
  await listening(port)
  return {
    name: 'nginx',
    pid: child.pid,
    to: { port, key: 'none' },
    modelFor: (spec) => spec,
    stop: () => end(child),
  }
}

function configuration(port: number, mockPort: number, folder: string): string {
  return `
daemon off; master_process off; pid ${folder}/nginx.pid; worker_rlimit_nofile 8192;
events { worker_connections 4096; }
http {
  access_log off; keepalive_requests 100000000;
  client_body_temp_path ${folder}/body; proxy_temp_path ${folder}/proxy;
  fastcgi_temp_path ${folder}/f; uwsgi_temp_path ${folder}/u; scgi_temp_path ${folder}/s;
  upstream provider { server 127.0.0.1:${mockPort}; keepalive 1024; keepalive_requests 100000000; }
  server {
    listen 127.0.0.1:${port};
    location / {
      proxy_pass http://provider; proxy_http_version 1.1; proxy_set_header Connection "";
      proxy_buffering off; proxy_request_buffering off;
    }
  }
}
`
}
