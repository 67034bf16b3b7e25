import type { ComponentChildren } from 'preact'
import type { Refusal } from '../../src/apps/dashboard/api.ts'
import { Icon } from './icon.tsx'

interface PageProps {
  title: string
  about?: ComponentChildren
  actions?: ComponentChildren
  isWide?: boolean
  children: ComponentChildren
}

export function Page({ title, about, actions, isWide = false, children }: PageProps) {
  return (
    <div class={`page${isWide ? ' is-wide' : ''}`}>
      <header class="page-head">
        <div class="page-head-words">
          <h1>{title}</h1>
          {about && <p>{about}</p>}
        </div>
        {actions && <div class="page-head-actions">{actions}</div>}
      </header>
      {children}
    </div>
  )
}

interface CardProps {
  title?: ComponentChildren
  aside?: ComponentChildren
  children: ComponentChildren
  /** The content reaches the edges: a list, a chart. */
  isFlush?: boolean
  label?: string
}

export function Card({ title, aside, children, isFlush = false, label }: CardProps) {
  return (
    <section class={`card${isFlush ? ' is-flush' : ''}`} aria-label={label}>
      {title !== undefined && (
        <header class="card-head">
          <h2>{title}</h2>
          {aside && <div class="card-aside">{aside}</div>}
        </header>
      )}
      {children}
    </section>
  )
}

/** Grey shapes where content will be, so that nothing jumps when it comes. */
export function Loading({ rows = 3 }: { rows?: number }) {
  return (
    <div class="loading" role="status">
      <span class="hidden-text">Loading</span>
      {Array.from({ length: rows }, (_, index) => (
        <span key={index} class="loading-row" />
      ))}
    </div>
  )
}

/** Why there is nothing to see, in the words of the command line. */
export function RefusalNote({ refusal }: { refusal: Refusal }) {
  return (
    <div class="notice is-bad" role="alert">
      <Icon name="warning" />
      <div>
        <p class="notice-title">{refusal.message}</p>
        {refusal.hint && <p class="second">{refusal.hint}</p>}
      </div>
    </div>
  )
}
