import type { ComponentChildren } from 'preact'
import { showToast } from '../app/toasts.ts'
import { Icon, type IconName } from './icon.tsx'

interface EmptyProps {
  icon: IconName
  title: string
  children?: ComponentChildren
  /** What to type to have something here. */
  commands?: readonly string[]
}

/** Nothing is here yet: what would be, and what to type. */
export function Empty({ icon, title, children, commands = [] }: EmptyProps) {
  return (
    <div class="empty">
      <span class="empty-icon">
        <Icon name={icon} size={20} />
      </span>
      <h3>{title}</h3>
      {children && <p class="second">{children}</p>}
      {commands.map((command) => (
        <CommandLine key={command} command={command} />
      ))}
    </div>
  )
}

/** A command to type elsewhere, with a button that copies it. */
export function CommandLine({ command }: { command: string }) {
  return (
    <button
      type="button"
      class="command-line"
      aria-label={`Copy: ${command}`}
      onClick={() => void copyText(command, 'Command copied')}
    >
      <span class="command-prompt" aria-hidden="true">
        $
      </span>
      <code>{command}</code>
      <Icon name="copy" size={14} />
    </button>
  )
}

export async function copyText(text: string, told: string) {
  try {
    await navigator.clipboard.writeText(text)
    showToast({ tone: 'good', title: told })
  } catch (error) {
    if (!(error instanceof DOMException)) throw error
    showToast({
      tone: 'bad',
      title: 'The browser does not allow copying',
      detail: 'Select the text and copy it by hand',
    })
  }
}
