import { render } from 'preact'
import { startClock } from './app/clock.ts'
import { listenToKeys } from './app/keys.ts'
import { listenToServer } from './app/live.ts'
import { followAddress } from './app/router.ts'
import { CurrentPage } from './app/routes.tsx'
import { Shell } from './app/shell.tsx'
import { applyTheme, theme } from './app/theme.ts'
import './styles/app.css'

applyTheme(theme.get())
followAddress()
listenToKeys()
startClock()
listenToServer()

const root = document.getElementById('app')
if (root)
  render(
    <Shell>
      <CurrentPage />
    </Shell>,
    root,
  )
