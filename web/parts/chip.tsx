import type { ComponentChildren } from 'preact'

export type Tone = 'plain' | 'good' | 'warn' | 'bad' | 'accent' | 'alien'

/** A word or two about a thing. The colour repeats what the word says. */
export function Chip({
  tone = 'plain',
  children,
  title,
}: {
  tone?: Tone
  children: ComponentChildren
  title?: string
}) {
  return (
    <span class={`chip is-${tone}`} title={title}>
      {children}
    </span>
  )
}

/** A point of colour beside a word that says the same. */
export function Dot({ tone = 'plain', isPulsing = false }: { tone?: Tone; isPulsing?: boolean }) {
  return <span class={`dot is-${tone}${isPulsing ? ' is-pulsing' : ''}`} aria-hidden="true" />
}

export function Keys({ keys }: { keys: string }) {
  return (
    <span class="keys">
      {keys.split(' ').map((key) => (
        <kbd key={key}>{key}</kbd>
      ))}
    </span>
  )
}
