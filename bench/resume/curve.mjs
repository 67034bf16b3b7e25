// The curve of recall over the budget: a page of docs, and a picture that reads in light and in dark.
import { mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { table } from './report.mjs'

const percent = (share) => `${Math.round(100 * share)} %`
const mustRecall = ({ must }, who) => (must.of === 0 ? 0 : must[who] / must.of)

/** Lines of the picture. Must-keep facts are known of our own scenarios only. */
const LINES = [
  { name: 'Brief, must-keep facts', look: 'must', value: (point) => mustRecall(point, 'brief'), isOwn: true },
  { name: 'Brief, all facts', look: 'brief', value: ({ recall }) => recall.brief },
  { name: 'Last words, all facts', look: 'words', value: ({ inBudget }) => inBudget },
]

const HEAD = [
  'Tokens',
  'Facts told',
  'Must-keep',
  'Last words, whole budget',
  'Last words, same size',
  'First + last + files',
  'Traps told',
  'Noise',
  'Cut',
  'Late',
  'Tokens used',
]
const cells = (point) => [
  point.budget.toLocaleString('en'),
  percent(point.recall.brief),
  point.must.of === 0 ? '–' : percent(mustRecall(point, 'brief')),
  percent(point.inBudget),
  percent(point.recall.last_words),
  percent(point.recall.first_last_files),
  `${point.trapsTold} of ${point.traps}`,
  percent(point.quality.noise),
  percent(point.quality.cut),
  `${point.quality.late} of ${point.quality.present}`,
  point.quality.tokens.toLocaleString('en'),
]

export const curveText = (points) => table(HEAD, points.map(cells))

const SIZE = { width: 780, height: 440, left: 64, right: 216, top: 82, bottom: 58 }
const STYLE = `
    .card { fill: #ffffff; stroke: #d0d7de } .grid { stroke: #d8dee4 } .axis { stroke: #57606a }
    text { font: 13px system-ui, sans-serif; fill: #24292f } .title { font-size: 16px; font-weight: 600 } .soft { fill: #57606a }
    .line { fill: none; stroke-width: 2.5; stroke-linejoin: round } .line.words { stroke-dasharray: 6 4 }
    .line.must { stroke: #0550ae } .line.brief { stroke: #1a7f37 } .line.words { stroke: #9a6700 }
    .mark.must { fill: #0550ae } .mark.brief { fill: #1a7f37 } .mark.words { fill: #9a6700 }
    @media (prefers-color-scheme: dark) {
      .card { fill: #0d1117; stroke: #30363d } .grid { stroke: #21262d } .axis { stroke: #8b949e }
      text { fill: #e6edf3 } .soft { fill: #8b949e }
      .line.must { stroke: #79c0ff } .line.brief { stroke: #56d364 } .line.words { stroke: #e3b341 }
      .mark.must { fill: #79c0ff } .mark.brief { fill: #56d364 } .mark.words { fill: #e3b341 }
    }`

/** Heights of labels in the order of their lines, none on another. */
function apart(heights, gap) {
  const order = heights.map((height, at) => ({ height, at })).sort((a, b) => a.height - b.height)
  for (let at = 1; at < order.length; at += 1)
    order[at].height = Math.max(order[at].height, order[at - 1].height + gap)
  return order.sort((a, b) => a.at - b.at).map(({ height }) => height)
}

/** The picture as SVG text. */
export function curvePicture(points, { isOwn }) {
  const { width, height, left, right, top, bottom } = SIZE
  const [first, last] = [points[0].budget, points.at(-1).budget]
  const x = (budget) => Math.round(left + ((budget - first) / (last - first)) * (width - left - right))
  const y = (share) => Math.round(height - bottom - share * (height - top - bottom))
  const lines = LINES.filter((line) => isOwn || !line.isOwn)
  const label = apart(
    lines.map(({ value }) => y(value(points.at(-1)))),
    18,
  )
  const grid = [0, 0.25, 0.5, 0.75, 1].map(
    (share) =>
      `<line class="${share === 0 ? 'axis' : 'grid'}" x1="${left}" x2="${width - right}" y1="${y(share)}" y2="${y(share)}"/><text class="soft" x="${left - 10}" y="${y(share) + 4}" text-anchor="end">${percent(share)}</text>`,
  )
  const ticks = points.map(
    ({ budget }) =>
      `<line class="axis" x1="${x(budget)}" x2="${x(budget)}" y1="${y(0)}" y2="${y(0) + 5}"/><text class="soft" x="${x(budget)}" y="${y(0) + 21}" text-anchor="middle">${budget.toLocaleString('en')}</text>`,
  )
  const drawn = lines.map(({ name, look, value }, at) => {
    const path = points.map((point) => `${x(point.budget)},${y(value(point))}`).join(' ')
    const dots = points.map(
      (point) => `<circle class="mark ${look}" cx="${x(point.budget)}" cy="${y(value(point))}" r="4"/>`,
    )
    const end = `<text class="mark ${look}" x="${width - right + 12}" y="${label[at] + 4}">${name} ${percent(value(points.at(-1)))}</text>`
    return `<polyline class="line ${look}" points="${path}"/>${dots.join('')}${end}`
  })
  const middle = (left + width - right) / 2
  return `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 ${width} ${height}" role="img" aria-labelledby="title">
  <title id="title">How much the brief tells, by its budget</title>
  <style>${STYLE}
  </style>
  <rect class="card" x="0.5" y="0.5" width="${width - 1}" height="${height - 1}" rx="8"/>
  <text class="title" x="${left - 40}" y="34">How much the next session is told, by the budget of its brief</text>
  <text class="soft" x="${left - 40}" y="${top - 20}">facts told</text>
  ${grid.join('\n  ')}
  ${ticks.join('\n  ')}
  <text class="soft" x="${middle}" y="${height - 12}" text-anchor="middle">budget of the brief, tokens</text>
  ${drawn.join('\n  ')}
</svg>
`
}

/** The page as Markdown. */
export function curvePage(points, { isOwn }) {
  const usual = points.find(({ budget }) => budget === 1_000) ?? points[0]
  const row = (list) => `| ${list.join(' | ')} |`
  const markdown = (head, lines) => [row(head), row(head.map(() => '---')), ...lines.map(row)].join('\n')
  const kinds = Object.entries(usual.kinds).map(([kind, { of, brief, last_words }]) => [
    kind,
    of,
    percent(brief / of),
    percent(last_words / of),
  ])
  const what = isOwn
    ? `${usual.runs} made-up sessions (scenarios in \`bench/resume/scenarios\`, each with six ways to end)`
    : `${usual.runs} sessions`
  return `<!-- Made by \`npm run bench -- resume --curve\`. Do not edit: run it again. -->

# How good a brief is

What the next session is told, measured on ${what} with ${usual.of} facts that a colleague who takes over would need. A fact counts as told where its words are in the brief. Must-keep facts are what the user laid down, what is open, what failed and what was cut off.

![Facts told over the budget of the brief](resume-quality.svg)

${markdown(HEAD, points.map(cells))}

*Last words* is the end of the talk, once as many tokens as the brief may have, once as many characters as it has. *First + last + files* is the first prompt, the last answer and the edited files, as many characters as the brief has. A baseline of the brief's size gets 2,700 characters at least; of Japanese and Chinese that is several times what the brief may have. *Traps* are things that were over (a decision that was replaced, a failure that was mended) and are told as if they held. *Noise* are lines that tell no fact and are neither the user's words nor the agent's last ones, *cut* lines that end inside a word or in "…", *late* facts about the present that stand only in the second half.

## By kind, at ${usual.budget.toLocaleString('en')} tokens

${markdown(['Kind', 'Facts', 'Brief', 'Last words'], kinds)}

\`\`\`sh
npm run bench -- resume            # the scenarios, in a few minutes; fails where something must-keep is lost
npm run bench -- resume --curve    # this page
\`\`\`
`
}

export function writeCurve(folder, points, { isOwn }) {
  mkdirSync(folder, { recursive: true })
  writeFileSync(join(folder, 'resume-quality.md'), curvePage(points, { isOwn }))
  writeFileSync(join(folder, 'resume-quality.svg'), curvePicture(points, { isOwn }))
}
