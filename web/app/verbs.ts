import { useState } from 'preact/hooks'
import type { AllowedVerb, Refusal, VerbAnswer } from '../../src/apps/dashboard/api.ts'
import { readRefusal } from './refusal.ts'
import { showToast } from './toasts.ts'
import { refreshViews } from './views.ts'

export interface VerbRequest {
  verb: AllowedVerb
  workspace: string
  input: Record<string, unknown>
}

/** Performs a verb, as the command line would in that workspace. */
async function performVerb({ verb, workspace, input }: VerbRequest): Promise<VerbAnswer | Refusal> {
  try {
    const answer = await fetch(`/api/verbs/${encodeURIComponent(verb)}`, {
      method: 'POST',
      headers: { 'content-type': 'application/json', accept: 'application/json' },
      body: JSON.stringify({ workspace, input }),
    })
    const text = await answer.text()
    // `as`: the contract of the route.
    return answer.ok ? (JSON.parse(text) as VerbAnswer) : readRefusal(text, answer.status)
  } catch (error) {
    if (!(error instanceof TypeError)) throw error
    return readRefusal('', 0)
  }
}

const sayFailure = ({ message, hint }: { message: string; hint: string }) =>
  ({ tone: 'bad', title: message, detail: hint }) as const

/** The first line of a receipt, and what follows it; the page shows the rest itself a moment later. */
function sayDone({ words, notices }: VerbAnswer) {
  const [title = 'Done', ...rest] = words.split('\n').map((line) => line.trim())
  const detail = [...notices, ...rest.filter((line) => line !== '')]
  return { tone: 'good', title, detail: detail.slice(0, 3).join('\n') } as const
}

/**
 * For a button: it is busy until the answer is there. What was done is told as a toast, and so is a refusal, unless
 * whoever asks shows it (`showsRefusal`): a dialog stands above all toasts.
 */
export function useVerb({ showsRefusal = false } = {}) {
  const [isBusy, setBusy] = useState(false)
  const [refusal, setRefusal] = useState<Refusal | null>(null)
  /** What was done, or null. */
  const perform = async (request: VerbRequest): Promise<VerbAnswer | null> => {
    setBusy(true)
    const answer = await performVerb(request)
    setBusy(false)
    setRefusal(answer.ok ? null : answer)
    if (!answer.ok) {
      if (!showsRefusal) showToast(sayFailure(answer))
      return null
    }
    showToast(answer.failure ? sayFailure(answer.failure) : sayDone(answer))
    refreshViews()
    return answer
  }
  return { isBusy, refusal, perform }
}
