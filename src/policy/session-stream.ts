import type { Session } from '../core/session.ts'
import { sessionStream } from './resolve.ts'

/** The stream that a session saves to while nobody has saved in it by hand: its own, which no other session touches. */
export const ownStream = ({ id }: Pick<Session, 'id'>) => sessionStream(id)

/** The stream that a session saves to. */
export const streamOf = (session: Pick<Session, 'id' | 'stream'>) => session.stream ?? ownStream(session)
