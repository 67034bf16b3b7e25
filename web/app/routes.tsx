import { Brief } from '../pages/brief.tsx'
import { Learnings } from '../pages/learnings.tsx'
import { Now } from '../pages/now.tsx'
import { Runs } from '../pages/runs.tsx'
import { Search } from '../pages/search.tsx'
import { Session } from '../pages/session.tsx'
import { Sessions } from '../pages/sessions.tsx'
import { Work } from '../pages/work.tsx'
import { Empty } from '../parts/empty.tsx'
import { usePlace } from './router.ts'

/** The first part of the address names the page, the second a thing on it. */
export function CurrentPage() {
  const [page = '', rest] = usePlace().path.slice(1).split('/')
  const id = rest === undefined || rest === '' ? null : decodeURIComponent(rest)
  switch (page) {
    case '':
      return <Now />
    case 'work':
      return <Work id={id} />
    case 'sessions':
      return id === null ? <Sessions /> : <Session key={id} id={id} />
    case 'runs':
      return <Runs id={id} />
    case 'brief':
      return <Brief />
    case 'search':
      return <Search />
    case 'learnings':
      return <Learnings />
    default:
      return (
        <div class="page">
          <h1>Not found</h1>
          <Empty icon="search" title="There is no such page">
            <a class="link" href="#/">
              Go to Now
            </a>
          </Empty>
        </div>
      )
  }
}
