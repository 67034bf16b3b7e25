import type { BriefAnswer, BriefLineView } from '../../src/apps/dashboard/api.ts'
import { Chip, type Tone } from '../parts/chip.tsx'
import { CorrectionButtons } from './corrections.tsx'

const MARKS: Record<NonNullable<BriefLineView['mark']>, { tone: Tone; about: string }> = {
  fresh: { tone: 'good', about: 'Checked just now: still true' },
  stale: { tone: 'warn', about: 'Something changed since it was said' },
  unverifiable: { tone: 'plain', about: 'It cannot be checked' },
  'not found': { tone: 'bad', about: 'What it names was not found' },
}

const STATES: Record<BriefLineView['state'], string | null> = {
  told: null,
  shortened: 'shortened',
  cut: 'cut',
  over: 'over',
}

/** The lines in their order, with those that were cut where they would stand. */
export function BriefLines({ data }: { data: BriefAnswer }) {
  const sections = groupLines(data.lines)
  return (
    <div class="brief-lines">
      {sections.map(({ title, lines }, index) => (
        <section key={index} class="brief-section">
          <h3 class="brief-title">{title || 'Found just now'}</h3>
          <ul>
            {lines.map((line) => (
              <BriefLine key={`${line.text}${line.source}`} line={line} data={data} />
            ))}
          </ul>
        </section>
      ))}
    </div>
  )
}

function groupLines(lines: readonly BriefLineView[]) {
  const groups: Array<{ title: string; lines: BriefLineView[] }> = []
  for (const line of lines) {
    const last = groups.at(-1)
    if (last?.title === line.section) last.lines.push(line)
    else groups.push({ title: line.section, lines: [line] })
  }
  return groups
}

function BriefLine({ line, data }: { line: BriefLineView; data: BriefAnswer }) {
  const { text, state, mark, note, source, age, tokens, item } = line
  const said = STATES[state]
  return (
    <li class={`brief-line is-${state}`}>
      <div class="brief-line-words">
        <p class="brief-line-text">{text}</p>
        {line.rank !== 'head' && (
          <p class="brief-line-source small quiet">
            {[source, age && `${age} ago`, note].filter(Boolean).join(' · ')}
          </p>
        )}
      </div>
      <span class="chips">
        {item && !item.confirmed && <Chip tone="warn">unconfirmed</Chip>}
        {mark && (
          <Chip tone={MARKS[mark].tone} title={MARKS[mark].about}>
            {mark}
          </Chip>
        )}
        {said && <Chip>{said}</Chip>}
      </span>
      {item && data.work !== null && (
        <CorrectionButtons item={item} work={data.work} workspace={data.workspace.id} />
      )}
      <span class="brief-line-tokens small quiet number">{tokens}</span>
    </li>
  )
}
