import { userInfo } from 'node:os'

type Environment = Readonly<Record<string, string | undefined>>

/** What opens an address in the user's browser; null where there is none to be seen. */
export function openerFor(env: Environment, platform: NodeJS.Platform): [string, ...string[]] | null {
  const isRemote = Boolean(env.SSH_CONNECTION ?? env.SSH_TTY)
  if (platform === 'darwin') return isRemote ? null : ['open']
  if (platform === 'win32') return isRemote ? null : ['rundll32', 'url.dll,FileProtocolHandler']
  return env.DISPLAY || env.WAYLAND_DISPLAY ? ['xdg-open'] : null
}

/** Opens an address, and goes on whatever becomes of it; false where nothing could be started. */
export async function openBrowser(url: string, [command, ...words]: [string, ...string[]]): Promise<boolean> {
  const { spawn } = await import('node:child_process')
  return new Promise((resolve) => {
    const child = spawn(command, [...words, url], { stdio: 'ignore', detached: true })
    child.once('error', () => resolve(false))
    child.once('spawn', () => resolve(true))
    child.unref()
  })
}

/** How to reach a port of this machine from the one that somebody sits at. */
export function tunnelCommand(env: Environment, port: number): string {
  const [, , server = '<this machine>'] = (env.SSH_CONNECTION ?? '').split(' ')
  return `ssh -L ${port}:127.0.0.1:${port} ${userInfo().username}@${server}`
}
