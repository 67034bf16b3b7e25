// What agents say around what matters: remarks between tools, and long accounts of details. It tells no fact.
import { chanceOf, NOUNS, VERBS } from './tool-noise.mjs'

/** {f} a function, {p} a path, {n} and {m} things, {k} a number. */
const REMARKS = {
  en: [
    'Next I look at `{p}`.',
    'That is as expected. On to `{p}`.',
    '`{f}` is used twice, I want to see both.',
  ],
  de: ['Als Nächstes sehe ich mir `{p}` an.', 'Das ist wie erwartet. Weiter mit `{p}`.'],
  es: ['Ahora miro `{p}`.', 'Es como esperaba. Sigo con `{p}`.'],
  ja: ['次に `{p}` を見ます。', '想定どおりです。`{p}` に進みます。', '`{f}` は二か所で使われています。'],
  zh: ['接下来看 `{p}`。', '和预期一样，继续看 `{p}`。', '`{f}` 在两个地方用到，我都看一下。'],
}
const DETAILS = {
  en: [
    '`{f}` in `{p}` checks the {n} before it reads the {m}; so far the result depended on which of them came first.',
    'I left `{f}` as it is: all of its {k} callers hand over a {n} that was checked on the way in.',
    'The {n} is read once and handed on, where it was read again for every {m}. In a trace that was {k} reads.',
    '`{p}` loses {k} lines, most of them copies of what `{f}` does already.',
    'A {n} without a {m} is an error now, with the name of the {n} in its text. Before, it was passed over in silence.',
    'There is one place that I am not happy with: `{f}` knows both the {n} and the {m}. It can be parted later.',
  ],
  de: [
    '`{f}` in `{p}` prüft {n} jetzt, bevor {m} gelesen wird; bisher hing das Ergebnis von der Reihenfolge ab.',
    '`{f}` habe ich gelassen, wie es ist: Alle {k} Aufrufer übergeben nur geprüfte Werte.',
    '`{p}` wird um {k} Zeilen kürzer, die meisten standen schon in `{f}`.',
    'Fehlt {n}, ist das nun ein Fehler mit Namen. Vorher ging es still weiter.',
  ],
  es: [
    '`{f}` en `{p}` comprueba {n} antes de leer {m}; hasta ahora el resultado dependía de cuál venía primero.',
    'He dejado `{f}` como está: sus {k} llamadas pasan valores ya comprobados.',
    '`{p}` pierde {k} líneas, casi todas copias de lo que ya hace `{f}`.',
    'Si falta {n}, ahora es un error con nombre. Antes se pasaba por alto.',
  ],
  ja: [
    '`{p}` の `{f}` は {m} を読む前に {n} を調べるようにしました。',
    '`{f}` はそのままです。呼び出し元の{k}か所はすべて検査済みの値を渡しています。',
    '`{p}` は{k}行短くなりました。ほとんどは `{f}` の重複でした。',
  ],
  zh: [
    '`{p}` 里的 `{f}` 现在先检查 {n}，再读取 {m}。',
    '`{f}` 没有改：{k} 个调用者传入的值都已经检查过。',
    '`{p}` 少了 {k} 行，大多和 `{f}` 重复。',
  ],
}
/** What a user asks in passing, and what the agent answers. */
const CHATS = {
  en: [
    ['what does `{f}` do?', 'It takes the {n} apart. Nothing outside of `{p}` calls it.'],
    ['is the {n} used anywhere else?', 'In `{p}` and in its test, nowhere else.'],
    ['why is the {n} read before the {m}?', '`{f}` needs its length, since the first version of `{p}`.'],
    ['looks good so far', 'Thanks. I go on with `{p}`.'],
  ],
  de: [['was macht `{f}`?', 'Es zerlegt {n}. Außerhalb von `{p}` ruft es niemand auf.']],
  es: [['¿qué hace `{f}`?', 'Separa {n} y pasa cada parte. Fuera de `{p}` nadie lo llama.']],
  ja: [['`{f}` は何をしますか？', '{n} を分けて順に渡します。`{p}` の外からは呼ばれません。']],
  zh: [['`{f}` 是做什么的？', '把 {n} 拆开逐个传下去，`{p}` 以外没有调用。']],
}
const HEADS = { en: 'In detail:', de: 'Im Einzelnen:', es: 'En detalle:', ja: '詳細：', zh: '细节：' }

const valuesFrom = ({ below, pick }, files) => ({
  f: `${pick(VERBS)}_${pick(NOUNS)}`,
  p: pick(files),
  n: pick(NOUNS),
  m: pick(NOUNS),
  k: 3 + below(15),
})
const fill = (template, values) => template.replace(/\{(\w)\}/g, (_, name) => values[name])
const filled = (template, chance, files) => fill(template, valuesFrom(chance, files))

/** A question in passing and its answer. */
export function chat(language, files, seed) {
  const chance = chanceOf(`chat ${seed}`)
  const values = valuesFrom(chance, files)
  const [asked, answered] = chance.pick(CHATS[language]).map((template) => fill(template, values))
  return { asked, answered }
}

/** A short sentence before a call, or none. */
export function remark(language, files, seed) {
  const chance = chanceOf(`remark ${seed}`)
  return chance.below(5) < 2 ? filled(chance.pick(REMARKS[language]), chance, files) : null
}

/** A list of details before what an answer comes to: in every second answer that ends a turn, in some of the others. */
export function account(language, files, seed, { endsTurn }) {
  const chance = chanceOf(`account ${seed}`)
  if (chance.below(endsTurn ? 2 : 4) > 0) return ''
  const lines = Array.from(
    { length: 5 + chance.below(7) },
    () => `- ${filled(chance.pick(DETAILS[language]), chance, files)}`,
  )
  return `${HEADS[language]}\n\n${lines.join('\n')}\n\n`
}
