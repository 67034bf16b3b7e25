import { useState } from 'preact/hooks'

/** A chosen row of a list that is steered from a text field: arrows move, Enter picks. */
export function useChoice(count: number, pick: (index: number) => void) {
  const [wanted, setChosen] = useState(0)
  const chosen = Math.min(wanted, Math.max(0, count - 1))
  const steps: Record<string, () => number> = {
    ArrowDown: () => (chosen + 1) % count,
    ArrowUp: () => (chosen + count - 1) % count,
  }
  const onKeyDown = (event: KeyboardEvent) => {
    if (event.isComposing || count === 0) return
    const step = steps[event.key]
    if (step) setChosen(step())
    else if (event.key === 'Enter') pick(chosen)
    else return
    event.preventDefault()
  }
  return { chosen, setChosen, onKeyDown }
}
