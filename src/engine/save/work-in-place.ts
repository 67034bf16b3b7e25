import type { Artifact, WorkState } from '../../core/work.ts'
import { carryForward } from '../../policy/carry.ts'
import type { NamedFile, SaveInput } from '../../policy/save.ts'
import type { FingerprintCache } from '../surroundings/mentions.ts'
import { planPosition, type World } from '../surroundings/world.ts'

/** Limit of uncommitted files that a save lists: hundreds of changed files come from a tool, not from work on each. */
const MOST_FOUND = 50

/** What became of a file that somebody names: what git says, and nothing where there is no such file. */
export function actionNow(looks: FingerprintCache, { dirty }: World, { path }: NamedFile): string {
  const found = dirty?.find((one) => one.path === path)
  return found?.action ?? (['file', 'folder'].includes(looks(path).state) ? 'modified' : '')
}

/** The work with where it is: the plan and its stage, and the files that are being worked on. */
export function withPositionAndFiles(
  { unlisted: _before, ...work }: WorkState,
  told: SaveInput,
  { index, dirty, uncommitted }: World,
): WorkState {
  const { position } = work
  const named = new Set(told.saying.files.map(({ path }) => path))
  const others = (dirty ?? []).filter(({ path }) => !named.has(path))
  const found = others.slice(0, MOST_FOUND)
  const files = found.map(({ path, action }): Artifact => ({ path, action, description: '' }))
  const { artifacts } = carryForward(work, { artifacts: files })
  const unlisted = uncommitted - (dirty ?? []).length + others.length - found.length
  return {
    ...work,
    ...(unlisted > 0 ? { unlisted } : {}),
    // What somebody named is the newest: where there are too many, others go first.
    artifacts: [
      ...artifacts.filter(({ path }) => !named.has(path)),
      ...artifacts.filter(({ path }) => named.has(path)),
    ],
    position: {
      ...position,
      ...planPosition({ index }),
      ...(told.plan === null ? {} : { planName: told.plan }),
      ...(told.stage === null ? {} : { stage: told.stage }),
      ...(told.tddPhase === null ? {} : { tddPhase: told.tddPhase }),
    },
  }
}
