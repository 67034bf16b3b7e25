/** What a kind of character costs, in hundredths of a token. The numbers are fitted to counts of o200k. */
export interface Price {
  is: 'letter' | 'digit' | 'space' | 'break' | 'mark' | 'sign'
  /** Letters of one script make up one run; 0 for what is no letter. */
  script: number
  /** So many letters of a run cost nothing beyond its first one, and each one behind them costs `more`. */
  free: number
  more: number
  /** What every such character costs besides; of a sign, all that it costs. */
  each: number
  /** What a space before it costs, where that is no part of the token. */
  space: number
}

export const TOKEN = 100
export const LATIN = 1

/** Chinese and Japanese, which put no spaces between words. */
const ASIAN = 2
let scripts = ASIAN
const NO_LETTER = { script: 0, free: 0, more: 0 }
const other = (is: Price['is'], each = 0, space = 0): Price => ({ ...NO_LETTER, is, each, space })
const sign = (each: number) => other('sign', each)
const letters = (free: number, more: number, each = 0, script = ++scripts): Price => ({
  ...other('letter', each),
  script,
  free,
  more,
})
const latin = (free: number, more: number, each = 0) => letters(free, more, each, LATIN)
const asian = (more: number, each = 0): Price => ({ ...letters(1, more, each, ASIAN), space: 70 })

/** A word behind a space, or one with a capital: the vocabulary holds most of these whole. */
export const LOWER = latin(6, 7)
export const UPPER = latin(3, 20)
export const ACCENTED = latin(6, 7, 40)
/** A word of small letters that stands behind something else than a space. */
export const BARE = latin(5, 17)
/** Letters behind a digit are no words, but ids, hashes and encoded bytes. */
export const NOISE = latin(2, 57)
/** A line with an accent is hardly English, and its words are cut into more pieces. */
export const FOREIGN = latin(3, 15)

const mark = other('mark')
const space = other('space')
export const BREAK = other('break')
const control = sign(TOKEN)
const russian = letters(3, 18)
const otherCyrillic = letters(3, 18, 170, russian.script)
const han = asian(63)
const unsimplified = asian(63, 70)

/** From which UTF-16 unit on which price holds. */
const FROM: ReadonlyArray<readonly [number, Price]> = [
  [0x0000, control],
  [0x0009, space],
  [0x000a, BREAK],
  [0x000b, control],
  [0x000d, BREAK],
  [0x000e, control],
  [0x0020, space],
  [0x0021, mark],
  [0x0030, other('digit', 0, TOKEN)],
  [0x003a, mark],
  [0x0041, UPPER],
  [0x005b, mark],
  [0x0061, LOWER],
  [0x007b, mark],
  [0x007f, control],
  [0x00c0, ACCENTED],
  [0x0250, sign(190)], // phonetic letters, combining accents
  [0x0370, letters(2, 35)], // Greek
  [0x0400, otherCyrillic],
  [0x0410, russian],
  [0x0450, otherCyrillic],
  [0x0530, letters(2, 46)], // Armenian, Hebrew
  [0x0600, letters(2, 28)], // Arabic
  [0x0700, sign(190)],
  [0x0900, letters(2, 30)], // Devanagari
  [0x0980, letters(1, 60)], // the other scripts of India
  [0x0e00, letters(2, 42)], // Thai
  [0x0e80, sign(190)],
  [0x1e00, ACCENTED],
  [0x2000, sign(105)], // dashes, quotes, bullets
  [0x2030, sign(150)], // currencies, arrows, mathematics
  [0x2300, sign(200)],
  [0x2500, sign(120)], // boxes, ticks, stars
  [0x27c0, sign(290)],
  [0x3000, sign(85)], // punctuation of CJK
  [0x3040, asian(62)], // kana
  [0x3100, sign(190)],
  [0x3400, sign(290)],
  [0x4e00, han],
  [0xa000, sign(200)],
  [0xac00, letters(1, 55)], // Hangul
  [0xd7b0, sign(200)],
  // The two halves of a pair. An emoji is two tokens, of the newer ones three.
  [0xd800, sign(200)],
  [0xd83c, sign(TOKEN)],
  [0xd83e, sign(130)],
  [0xd840, sign(250)],
  [0xdc00, sign(TOKEN)],
  [0xdd40, sign(200)],
  [0xde00, sign(TOKEN)],
  [0xe000, sign(250)],
  [0xfe00, sign(TOKEN)],
]

/**
 * The most frequent characters that Traditional Chinese or Japanese write and Simplified Chinese does not. Few words of
 * the vocabulary hold one, so a text with them has a third more tokens.
 */
const UNSIMPLIFIED =
  '両並伝併來係個們値側備傳價億優儲兒內兩処別刪則効動務勧區単參員問啟單嘗囲國園圓圖執報場塊増壊変奨學実' +
  '實寫対將專尋對導層屬島師幹幾庫廣張強徑従從復応惡愛態應戰戶戻扱択拡挙挿採換擇擊擔據敗數斷時暫書會東條' +
  '棄検業極構様樂樓標樣権機檔檢權歐歲歷殺毎気氣決沒況済減準溫滿漢瀏為無熱燈爭狀獨獲現環產畢畫異當発發監' +
  '眾確碼禮種稱穩窮筆節範築簡簽籤約紅純級細紹終組経結絕給統經続維網緊線編練總織繼續義習聞聯聲職腦腳臉臨' +
  '與興舉舊萬葉藝藥處虛號術衛補裝裡製複見規視覧親観覺覽觀觸訂計訊討記設許証試話該詳認語誤說説読誰課調請' +
  '論諸講謝證識譯議護讀變讓負財貨責買費貿資賣質購賽蹤車軍軟較載輕輪輯輸轉辦農込這連進遅運過達違遞遠適遲' +
  '選遺還邊郵醫針鈕銀錄錢錯録鍵鎖鐘鐵鑰長門開間関閱關陰陽隊階際隨險雜離難雲電靜響頁頂項順須預領頭題顏願' +
  '類顧顯風飛飯飲養館馬験驗驚體鬧魚鮮麼黃點黨齊龍'

export const PRICES: readonly Price[] = [...new Set(FROM.map(([, price]) => price)), unsimplified]

let places: Uint8Array | undefined

/** Of every UTF-16 unit the place of its price in `PRICES`. Made when it is first asked for: every command starts. */
export const placesOfUnits = (): Uint8Array => {
  places ??= makePlaces()
  return places
}

function makePlaces(): Uint8Array {
  const made = new Uint8Array(0x10000)
  for (const [at, [from, price]] of FROM.entries()) made.fill(PRICES.indexOf(price), from, FROM[at + 1]?.[0])
  for (const character of UNSIMPLIFIED) made[character.charCodeAt(0)] = PRICES.indexOf(unsimplified)
  return made
}
