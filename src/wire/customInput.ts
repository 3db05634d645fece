/** What the arguments of a call begin with, but for white space. */
const OPENING = '{"input":"'
/** White space may come before so many of its characters. */
const GAPS: ReadonlySet<number> = new Set([0, 1, 8, 9])
const BLANK = /[ \t\n\r]/
/** The end of the text, or the beginning of an escape. */
const SIGN = /["\\]/g
const ESCAPE = /\\(?:["\\/bfnrt]|u[0-9a-fA-F]{4})/y
/** An escape that may be whole once more has come. */
const PART_OF_ESCAPE = /^\\(?:u[0-9a-fA-F]{0,3})?$/

/**
 * Reads the input of a custom tool out of the arguments of a function, which come in any pieces: the text of `{"input":"…"}`.
 * Nothing that a model writes is lost. Arguments that begin in another way are the input as they are; what follows the text
 * beside `}` is part of the input; an escape that JSON does not have stays as it is. No arguments are an empty input.
 */
export class CustomInput {
  #state: 'opening' | 'text' | 'closing' | 'raw' = 'opening'
  /** How much of `OPENING` has come. */
  #matched = 0
  /** Has come, and means something only with what follows. */
  #held = ''
  #closed = false
  /** The first half of a character beyond the first plane: alone it is not text. */
  #half = ''

  /** What of the input is certain by this piece. */
  push(piece: string): string {
    let text = ''
    let rest = piece
    if (this.#state === 'opening') rest = this.#readOpening(rest)
    if (this.#state === 'text') {
      const read = this.#readText(rest)
      text = read.text
      rest = read.rest
    }
    if (this.#state === 'closing') rest = this.#readClosing(rest)
    return this.#withoutHalf(this.#state === 'raw' ? text + rest : text)
  }

  /** The rest of the input, where the arguments have ended. */
  end(): string {
    const isUnread = this.#state === 'text' || (this.#state === 'opening' && this.#matched > 0)
    const text = this.#half + (isUnread ? this.#held : '')
    this.#state = 'raw'
    this.#held = ''
    this.#half = ''
    return text
  }

  #readOpening(piece: string): string {
    for (let i = 0; i < piece.length; i++) {
      const character = piece.charAt(i)
      if (character === OPENING[this.#matched]) {
        this.#matched += 1
        if (this.#matched < OPENING.length) continue
        this.#state = 'text'
        this.#held = ''
        return piece.slice(i + 1)
      }
      if (GAPS.has(this.#matched) && BLANK.test(character)) continue
      if (character !== '}' || this.#matched !== 1) return this.#giveUp(piece)
      // An object without fields.
      this.#state = 'closing'
      this.#held += piece.slice(0, i)
      return piece.slice(i)
    }
    this.#held += piece
    return ''
  }

  #readText(piece: string): { readonly text: string; readonly rest: string } {
    const source = this.#held + piece
    this.#held = ''
    let text = ''
    let at = 0
    for (;;) {
      SIGN.lastIndex = at
      const sign = SIGN.exec(source)?.index ?? source.length
      text += source.slice(at, sign)
      if (sign === source.length) return { text, rest: '' }
      if (source[sign] === '"') {
        this.#state = 'closing'
        this.#held = '"'
        return { text, rest: source.slice(sign + 1) }
      }
      ESCAPE.lastIndex = sign
      const [escape = ''] = ESCAPE.exec(source) ?? []
      const isPart = escape === '' && source.length - sign < 6 && PART_OF_ESCAPE.test(source.slice(sign))
      if (isPart) {
        this.#held = source.slice(sign)
        return { text, rest: '' }
      }
      text += escape === '' ? '\\' : (JSON.parse(`"${escape}"`) as string)
      at = sign + Math.max(1, escape.length)
    }
  }

  #readClosing(piece: string): string {
    for (const character of piece) {
      if (BLANK.test(character)) continue
      if (character !== '}' || this.#closed) return this.#giveUp(piece)
      this.#closed = true
    }
    this.#held += piece
    return ''
  }

  /** These are other arguments than were asked for: from here on, they are the input as they come. */
  #giveUp(piece: string): string {
    const all = this.#held + piece
    this.#state = 'raw'
    this.#held = ''
    return all
  }

  #withoutHalf(more: string): string {
    const text = this.#half + more
    const last = text.charCodeAt(text.length - 1)
    const isHalf = last >= 0xd8_00 && last <= 0xdb_ff
    this.#half = isHalf ? text.slice(-1) : ''
    return isHalf ? text.slice(0, -1) : text
  }
}

/** The input in the whole arguments of a call. */
export function customInputOf(text: string): string {
  const input = new CustomInput()
  return input.push(text) + input.end()
}
