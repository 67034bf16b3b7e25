import MarkdownIt, { type Token } from 'markdown-it'
import { type ComponentChild, Fragment, h } from 'preact'
import { useMemo } from 'preact/hooks'

const parser = new MarkdownIt({ html: false, linkify: false, typographer: false })

/** What a pair of tokens becomes. Nothing that is not listed here gets into the page. */
const ELEMENTS: Record<string, string> = {
  paragraph: 'p',
  bullet_list: 'ul',
  ordered_list: 'ol',
  list_item: 'li',
  blockquote: 'blockquote',
  table: 'table',
  thead: 'thead',
  tbody: 'tbody',
  tr: 'tr',
  th: 'th',
  td: 'td',
  em: 'em',
  strong: 'strong',
  s: 's',
}

/**
 * Text that somebody else wrote, as elements: tokens become nodes one by one, so no HTML is ever made of it, and
 * an image is never fetched.
 */
export function Markdown({ text, level = 4 }: { text: string; level?: number }) {
  const nodes = useMemo(() => nodesOf(parser.parse(text, {}), level), [text, level])
  return <div class="markdown">{nodes}</div>
}

function nodesOf(tokens: readonly Token[], level: number): ComponentChild[] {
  const stack: Array<{ open: Token | null; nodes: ComponentChild[] }> = [{ open: null, nodes: [] }]
  const put = (node: ComponentChild) => stack.at(-1)?.nodes.push(node)
  for (const token of tokens)
    if (token.nesting === 1) stack.push({ open: token, nodes: [] })
    else if (token.nesting === 0) put(leafOf(token, level))
    else {
      const { open, nodes } = stack.pop() ?? {}
      if (open && nodes) put(elementOf(open, nodes, level))
    }
  return stack[0]?.nodes ?? []
}

function elementOf(open: Token, nodes: ComponentChild[], level: number): ComponentChild {
  // A tight list has paragraphs that are not to be seen.
  if (open.hidden) return h(Fragment, null, ...nodes)
  const kind = open.type.replace(/_open$/, '')
  if (kind === 'heading') return h(`h${Math.min(6, level)}`, null, ...nodes)
  // A table of which only the heading is there says nothing yet.
  if (kind === 'table' && nodes.length < 2) return null
  if (kind === 'link') return linkOf(String(open.attrGet('href') ?? ''), nodes)
  return h(ELEMENTS[kind] ?? Fragment, null, ...nodes)
}

/** Only addresses of the web are links, and the other side does not learn where they were found. */
function linkOf(href: string, nodes: ComponentChild[]): ComponentChild {
  if (!/^https?:\/\//i.test(href)) return h(Fragment, null, ...nodes)
  return h('a', { href, target: '_blank', rel: 'noopener noreferrer', title: href }, ...nodes)
}

function leafOf(token: Token, level: number): ComponentChild {
  switch (token.type) {
    case 'inline':
      return h(Fragment, null, ...nodesOf(token.children ?? [], level))
    case 'code_inline':
      return h('code', null, token.content)
    case 'fence':
    case 'code_block':
      return h('pre', { tabIndex: 0 }, h('code', null, token.content))
    case 'softbreak':
      return '\n'
    case 'hardbreak':
      return h('br', null)
    case 'hr':
      return h('hr', null)
    case 'image':
      return `[${token.content || 'image'}]`
    default:
      return token.content
  }
}
