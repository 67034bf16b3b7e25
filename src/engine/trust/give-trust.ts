import { instant } from '../../core/ports.ts'
import type { Context } from '../context/context.ts'

export async function giveTrust({ store, identity, place, ports }: Context): Promise<void> {
  await store.local.setTrust(identity.workspace, place.root, instant(ports.now()))
}
