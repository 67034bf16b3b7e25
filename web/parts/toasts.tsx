import { useCell } from '../app/external-store.ts'
import { hideToast, toasts } from '../app/toasts.ts'
import { Icon } from './icon.tsx'

export function Toasts() {
  const list = useCell(toasts)
  return (
    <div class="toasts" role="status" aria-live="polite">
      {list.map(({ id, tone, title, detail }) => (
        <div key={id} class={`toast is-${tone}`}>
          <Icon name={tone === 'good' ? 'check' : 'warning'} />
          <div>
            <p class="toast-title">{title}</p>
            {detail && <p class="toast-detail">{detail}</p>}
          </div>
          <button type="button" class="toast-close" aria-label="Close" onClick={() => hideToast(id)}>
            <Icon name="cross" size={14} />
          </button>
        </div>
      ))}
    </div>
  )
}
