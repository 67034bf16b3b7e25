import { accessSync, constants, existsSync, realpathSync, statSync } from 'node:fs'
import { homedir } from 'node:os'
import { delimiter, isAbsolute, join } from 'node:path'
import type { Environment } from '../../core/agent.ts'
import type { AgentSetUp } from '../../core/agent-setup.ts'
import { unlessRefused } from '../../core/reason.ts'
import { isBelow } from '../context/inside.ts'

/** Whether the client is on this machine: its program on PATH, or the folder that it makes for itself. */
export const isInstalled = (
  client: AgentSetUp,
  env: Environment,
  root: string,
  platform = process.platform,
): boolean =>
  onPath(env, root, client.programs(platform).found) !== null ||
  statSync(client.folder(env), { throwIfNoEntry: false })?.isDirectory() === true

/** The client's program, where it can be started without a shell; null where it cannot, or is not on PATH. */
export const findProgram = (
  client: AgentSetUp,
  env: Environment,
  root: string,
  platform = process.platform,
) => onPath(env, root, client.programs(platform).started)

const onPath = (env: Environment, root: string, names: readonly string[]): string | null =>
  foldersOutside(env, root)
    .flatMap((folder) => names.map((name) => join(folder, name)))
    .find((path) => isProgram(path) && !isOfProject(env, root, path)) ?? null

/**
 * The folders of PATH without those of the project, such as its `node_modules/.bin`: what a repository brings along
 * is not what the user installed. A folder that is named from where one stands may be anybody's.
 */
export const foldersOutside = (env: Environment, root: string): string[] =>
  (env.PATH ?? '').split(delimiter).filter((folder) => isAbsolute(folder) && !isOfProject(env, root, folder))

function isOfProject({ HOME }: Environment, root: string, path: string): boolean {
  const real = realPathOr(root)
  // Who works in their own home has in it all that they installed.
  if (isBelow(real, realPathOr(HOME || homedir()))) return false
  return isBelow(root, path) || isBelow(real, realPathOr(path))
}

/** The real path of something that is there; the path itself where it is not. */
export const realPathOr = (path: string) => (existsSync(path) ? realpathSync(path) : path)

export const isProgram = (path: string): boolean =>
  unlessRefused(() => {
    accessSync(path, constants.X_OK)
    return statSync(path).isFile()
  }) ?? false
