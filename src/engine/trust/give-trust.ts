import { instant } from '../../core/ports.ts'
import { ReasonError } from '../../core/reason.ts'
import type { Context } from '../context/context.ts'

/** Trust in the user's own words, which a save gives by itself. It vouches for nothing that git brings. */
export async function trustOwnWords({ store, identity, place, ports }: Context): Promise<void> {
  await store.local.setTrust(identity.workspace, place.root, 'own', instant(ports.now()))
}

/** What the user says: the default branch of the remote is vouched for, too. */
export async function vouchForWorkspace(context: Context): Promise<void> {
  const { store, identity, place, ports } = context
  requireUser(context)
  await store.local.setTrust(identity.workspace, place.root, 'vouched', instant(ports.now()))
}

export async function withdrawTrust({ store, identity, place, ports }: Context): Promise<void> {
  await store.local.setTrust(identity.workspace, place.root, 'withdrawn', instant(ports.now()))
}

/** An agent can neither trust for its user nor review what a stranger wrote. */
export function requireUser({ speaker, place }: Context): void {
  if (speaker === 'agent') throw new ReasonError('trust_by_agent', { path: place.root })
}
