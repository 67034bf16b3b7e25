import { mkdirSync } from 'node:fs'
import { commit, elsewhere, identify, put } from '../cli/document-lab.ts'
import { type Sandbox, sandbox } from '../support/sandbox.ts'
import type { HostileRepository } from './repositories.ts'

export const OWN_RULE = 'Never touch the vault'

/** The stranger's repository, and a clone of it in which a user works. */
export function cloned(plant: (theirs: Sandbox) => void): { box: Sandbox; theirs: Sandbox } {
  const box = sandbox({ git: false })
  const theirs = elsewhere(box, 'theirs')
  mkdirSync(theirs.repo)
  theirs.git('init', '--quiet', '--initial-branch=main')
  identify(theirs, 'Thea Their')
  put(theirs, 'code.ts', 'export {}\n')
  commit(theirs, 'begin')
  plant(theirs)
  box.git('clone', '--quiet', theirs.repo, '.')
  identify(box)
  return { box, theirs }
}

/** As it is delivered: by a clone, or where it works through git's own folder, by an archive that is unpacked. */
export function delivered(hostile: HostileRepository): Sandbox {
  const { box } = cloned((theirs) => deliver(hostile, theirs))
  if (hostile.isLocal) hostile.plant(box)
  return box
}

export function deliver({ plant, isLocal }: HostileRepository, theirs: Sandbox): void {
  if (isLocal) return
  plant(theirs)
  theirs.git('add', '--all')
  theirs.git('commit', '--quiet', '--allow-empty', '-m', 'more')
}

/** The user's first save there. */
export const saveOwn = (box: Sandbox) =>
  box.json(['save', 'Build the login', '--rule', OWN_RULE, '--next', 'Try the form'])
