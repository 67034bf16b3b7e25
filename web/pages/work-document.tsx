import { Empty } from '../parts/empty.tsx'
import { Markdown } from '../parts/markdown.tsx'

interface WorkDocumentProps {
  sections: ReadonlyArray<{ title: string; text: string }>
  /** Told where the document has no headings. */
  text: string
  isDeltas?: boolean
}

/** A document by its sections, as somebody wrote it. */
export function WorkDocument({ sections, text, isDeltas = false }: WorkDocumentProps) {
  const full = sections.filter((section) => section.text.trim() !== '')
  if (full.length === 0 && text.trim() === '')
    return isDeltas ? (
      <Empty icon="brief" title="No deltas" commands={['savepoint delta --what "What changed"']}>
        A delta adds to the document what changed since the last one, with its reason.
      </Empty>
    ) : (
      <p class="quiet">Nothing is written yet.</p>
    )
  if (full.length === 0) return <Markdown text={text} />
  return (
    <div class="document">
      {full.map((section) => (
        <section key={section.title} class="document-section">
          <h2>{section.title}</h2>
          <Markdown text={section.text} level={3} />
        </section>
      ))}
    </div>
  )
}
