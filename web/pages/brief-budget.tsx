import { useEffect, useState } from 'preact/hooks'
import type { BriefAnswer, BriefLineView } from '../../src/apps/dashboard/api.ts'
import { plural } from '../app/format.ts'
import { replaceQuery } from '../app/router.ts'
import { Card } from '../parts/page.tsx'

const SETTLE_MS = 120
const STEP = 50

/** What the brief costs, a slider for what it may cost, and what that leaves out. */
export function BriefBudget({ data }: { data: BriefAnswer }) {
  const { tokens, budget, budgets, cuts, shortened } = data
  return (
    <>
      <Card title="Budget" aside={<span class="small quiet number">est. tokens</span>}>
        <p class="budget-figure number">
          <strong>{tokens.toLocaleString('en')}</strong>
          <span class="quiet"> of {budget.toLocaleString('en')}</span>
        </p>
        <Shares lines={data.lines} budget={budget} />
        <BudgetSlider budget={budget} budgets={budgets} />
      </Card>
      <Card title="Left out">
        {cuts.length === 0 && shortened === 0 ? (
          <p class="quiet">Nothing: all of it fits.</p>
        ) : (
          <ul class="facts">
            {cuts.map(({ title, count }) => (
              <li key={title}>
                <span class="one-line">{title}</span>
                <span class="small quiet number">{plural(count, 'line')}</span>
              </li>
            ))}
            {shortened > 0 && (
              <li>
                <span>Shortened</span>
                <span class="small quiet number">{plural(shortened, 'line')}</span>
              </li>
            )}
          </ul>
        )}
      </Card>
    </>
  )
}

function BudgetSlider({ budget, budgets }: Pick<BriefAnswer, 'budget' | 'budgets'>) {
  const [moving, setMoving] = useState<number | null>(null)
  const { least, usual, most } = budgets
  useEffect(() => {
    if (moving === null) return undefined
    const timer = setTimeout(() => {
      replaceQuery({ tokens: moving === usual ? null : String(moving) })
      setMoving(null)
    }, SETTLE_MS)
    return () => clearTimeout(timer)
  }, [moving])
  return (
    <div class="budget-slider">
      <input
        type="range"
        class="slider"
        aria-label="Token budget"
        aria-valuetext={`${moving ?? budget} tokens`}
        min={least}
        max={most}
        step={STEP}
        value={moving ?? budget}
        onInput={({ currentTarget }) => setMoving(Number(currentTarget.value))}
      />
      <p class="small quiet number budget-ends">
        <span>{least}</span>
        {budget === usual ? (
          <span>usual</span>
        ) : (
          <button type="button" class="link" onClick={() => replaceQuery({ tokens: null })}>
            back to {usual.toLocaleString('en')}
          </button>
        )}
        <span>{most.toLocaleString('en')}</span>
      </p>
    </div>
  )
}

const RANKS = { head: 'What was found', must: 'Must keep', should: 'Should keep', talk: 'The talk' } as const

/** What the tokens are spent on. */
function Shares({ lines, budget }: { lines: readonly BriefLineView[]; budget: number }) {
  const isRank = (rank: string): rank is keyof typeof RANKS => Object.hasOwn(RANKS, rank)
  const sums = Object.keys(RANKS)
    .filter(isRank)
    .map((rank) => ({
      rank,
      tokens: lines
        .filter((line) => line.rank === rank && (line.state === 'told' || line.state === 'shortened'))
        .reduce((sum, line) => sum + line.tokens, 0),
    }))
    .filter(({ tokens }) => tokens > 0)
  const whole = Math.max(
    budget,
    sums.reduce((sum, { tokens }) => sum + tokens, 0),
  )
  return (
    <>
      <div class="shares" aria-hidden="true">
        {sums.map(({ rank, tokens }) => (
          <span key={rank} class={`share is-${rank}`} style={{ width: `${(tokens / whole) * 100}%` }} />
        ))}
      </div>
      <ul class="share-names small">
        {sums.map(({ rank, tokens }) => (
          <li key={rank}>
            <span class={`share-dot is-${rank}`} aria-hidden="true" />
            {RANKS[rank]} <span class="quiet number">{tokens}</span>
          </li>
        ))}
      </ul>
    </>
  )
}
