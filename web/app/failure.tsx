import { Component, type ComponentChildren } from 'preact'
import { RefusalNote } from '../parts/page.tsx'

/** Where drawing a page fails, the rest of the shell stays, and says so. Another place starts afresh. */
export class FailureNote extends Component<
  { place: string; children: ComponentChildren },
  { failed: string | null }
> {
  override state: { failed: string | null } = { failed: null }

  static override getDerivedStateFromError(error: unknown) {
    return { failed: error instanceof Error ? error.message : String(error) }
  }

  override componentDidUpdate({ place }: { place: string }) {
    if (place !== this.props.place && this.state.failed !== null) this.setState({ failed: null })
  }

  override render() {
    const { failed } = this.state
    if (failed === null) return this.props.children
    const hint = 'Load the page again. Where that does not help: savepoint doctor'
    return (
      <div class="page">
        <RefusalNote
          refusal={{ ok: false, reason: '', message: `This page cannot be drawn: ${failed}`, hint }}
        />
      </div>
    )
  }
}
