import { clipText } from '../core/canonical.ts'
import type { Session } from '../core/session.ts'
import { collapseSpaces } from '../core/text.ts'

/** "go on" is no task. */
const SAYS_LITTLE = 15

/** Whether a request says what is to be done, as far as its length can tell. */
export const saysTask = ({ text }: { text: string }) => text.length > SAYS_LITTLE

const LONGEST = 160

/** A request as lists of sessions show it. */
export const clipRequest = (text: string) => clipText(collapseSpaces(text.slice(0, LONGEST * 10)), LONGEST)

/** What a session was asked last, as far as lists know: what its hooks heard may be newer than its transcript. */
export function lastAsked({ asked, lastPrompt }: Pick<Session, 'asked' | 'lastPrompt'>): string {
  const isNewer = lastPrompt !== null && lastPrompt.at > (asked?.at ?? '') && saysTask(lastPrompt)
  return clipRequest((isNewer ? lastPrompt.text : asked?.text) ?? lastPrompt?.text ?? '')
}
