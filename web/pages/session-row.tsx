import type { SessionLine } from '../../src/apps/dashboard/api.ts'
import { useNow } from '../app/clock.ts'
import { formatAge, formatCount, formatDuration, plural } from '../app/format.ts'
import { endOf } from '../app/timeline.ts'
import { Chip, Dot } from '../parts/chip.tsx'
import { toneOfUse } from '../parts/gauge.tsx'
import { sessionHref, sessionState } from './session-words.ts'

/** A session in a list: what was asked, where, how it went. */
export function SessionRow({ session }: { session: SessionLine }) {
  const now = useNow()
  const { tone, word } = sessionState(session)
  const { asked, agent, branch, files, commits, tokens, usedPercent, startedAt } = session
  const isQuiet = tone === 'plain'
  return (
    <a class="session-row" href={sessionHref(session.key)}>
      <Dot tone={tone} isPulsing={session.phase === 'active' && session.paused === null} />
      <span class="session-row-words">
        <span class="one-line session-row-title">
          {asked || <span class="quiet">No request recorded</span>}
        </span>
        <span class="one-line small quiet">
          {[branch ?? 'no branch', agent, formatDuration(endOf(session) - Date.parse(startedAt))].join(' · ')}
          {isQuiet && ` · ${word}`}
        </span>
      </span>
      <span class="session-row-facts small quiet number">
        {files > 0 && <span>{plural(files, 'file')}</span>}
        {commits > 0 && <span>{plural(commits, 'commit')}</span>}
        {tokens > 0 && <span>{formatCount(tokens)} tokens</span>}
      </span>
      {!isQuiet && <Chip tone={tone}>{word}</Chip>}
      {usedPercent !== null && <MiniGauge percent={usedPercent} />}
      <span class="session-row-age small quiet number">{formatAge(session.lastActivityAt, now)}</span>
    </a>
  )
}

function MiniGauge({ percent }: { percent: number }) {
  return (
    <span class={`mini-gauge is-${toneOfUse(percent)}`} title={`${Math.round(percent)} % of the window`}>
      <span style={{ width: `${Math.min(100, percent)}%` }} />
    </span>
  )
}
