import { isAbsolute, relative, sep } from 'node:path'
import { isSettingName, SETTINGS, settingNames } from '../../config/settings.ts'
import { clipText } from '../../core/canonical.ts'
import { visible } from '../../core/visible.ts'
import { wrapWidth } from '../../core/width.ts'
import type { Context } from '../../engine/context/context.ts'
import { isBelow } from '../../engine/context/inside.ts'
import type { Config } from '../../engine/context/load-settings.ts'
import type { Screen } from '../define/screen.ts'
import { defineVerb } from '../define/verb.ts'
import { fitLines, tableLines } from '../say/table.ts'

type IgnoredValue = Config['passedOver'][number]
type ConfigFile = Config['files'][number]

const WHY: Record<IgnoredValue['why'], string> = {
  overridden: 'overridden',
  userOnly: 'ignored: only your own file may set it',
  invalid: 'ignored',
}

const STATE: Record<ConfigFile['state'], string> = { read: 'read', absent: 'not found', unusable: 'unusable' }

/** What a row holds besides its value: the longest name, a file of the workspace, the gaps. */
const NAME_AND_FILE = 41

function explain({ config, settings, place }: Context) {
  const short = (path: string) => shortPath(place.root, path)
  return {
    settings: settingNames().map((name) => ({
      name,
      value: settings[name],
      /** `default`, or the file that says so. */
      from: short(config.origins[name]),
      about: SETTINGS[name].about,
      passedOver: config.passedOver
        .filter(({ setting }) => setting === name)
        .map(({ value, path, why }) => ({ value, from: short(path), why })),
    })),
    /** In the order in which they are read: the later one wins. */
    files: config.files.map(({ path, by, state }) => ({ path: short(path), by, state })),
    problems: config.problems.map(({ path, problem, setting }) => ({ path: short(path), problem, setting })),
  }
}

type ExplainedSettings = ReturnType<typeof explain>

/** A path below the workspace as it is written from there; any other one, and `default`, as it is. */
const shortPath = (root: string, path: string) =>
  isAbsolute(path) && isBelow(root, path) ? relative(root, path).replaceAll(sep, '/') : path

export const configExplain = defineVerb({
  name: 'config explain',
  summary: 'Show every setting, its value and its source',
  detail:
    'Also lists ignored values: overridden by a later file, allowed only in your own settings, or invalid.',
  fields: {},
  examples: ['savepoint config explain', 'savepoint config explain --json'],
  access: 'read',
  lenient: true,
  perform: async (context) => explain(context),
  say: (explained, screen) =>
    fitLines([...saySettings(explained, screen), '', ...sayFiles(explained, screen)].join('\n'), screen),
})

function saySettings({ settings, problems }: ExplainedSettings, screen: Screen): string[] {
  const { columns } = screen
  // A long value leaves room for its name before it and its file behind it.
  const most = Math.max(8, columns - NAME_AND_FILE)
  const showValue = (value: unknown) => visible(clipText(String(value), most))
  const table = tableLines(
    ['SETTING', 'VALUE', 'FROM'],
    settings.map(({ name, value, from }) => [name, showValue(value), visible(from)]),
  )
  const below = settings.map(({ name, passedOver }) =>
    passedOver.flatMap(({ value, from, why }) => {
      const found = problems.find(({ setting, path }) => setting === name && path === from)
      const because = why === 'invalid' && found ? `: ${visible(found.problem)}` : ''
      return [`${showValue(value)} in ${visible(from)}: ${WHY[why]}${because}`]
    }),
  )
  return layOut(table, below, screen)
}

/** A problem of a line stands with its setting; here those of a whole file, and of lines that name none. */
function sayFiles({ files, problems }: ExplainedSettings, screen: Screen): string[] {
  const table = tableLines(
    ['STATE', 'FILE (LAST WINS)'],
    files.map(({ path, state }) => [STATE[state], visible(path)]),
  )
  const below = files.map(({ path }) =>
    problems
      .filter((one) => one.path === path && !isSettingName(one.setting ?? ''))
      .map(({ problem }) => visible(problem)),
  )
  return layOut(table, below, screen)
}

/** A table with texts set in below each of its rows. */
function layOut(
  [head = '', ...rows]: readonly string[],
  below: readonly string[][],
  { columns, paint }: Screen,
): string[] {
  const indentText = (text: string) =>
    wrapWidth(text, columns - 4).map((line, at) => `${at === 0 ? '  ' : '    '}${line}`)
  return [paint('faint', head), ...rows.flatMap((row, at) => [row, ...(below[at] ?? []).flatMap(indentText)])]
}
