// The script of the gateway's pages: search in the documents, and copy buttons. Served as /site.js; without it every page
// still works.

/** An element with attributes and children. */
function element(tag, attributes = {}, ...children) {
  const made = document.createElement(tag)
  for (const [name, value] of Object.entries(attributes)) made.setAttribute(name, value)
  made.append(...children)
  return made
}

/** Screen readers read what is written here. */
const announcer = element('p', { class: 'hidden', role: 'status' })
document.body.append(announcer)

function announce(text) {
  announcer.textContent = text
}

// --- Copy buttons

/** The clipboard of browsers needs TLS or this machine; elsewhere a selection is copied. */
async function copy(text) {
  if (navigator.clipboard !== undefined) return navigator.clipboard.writeText(text)
  const field = element('textarea', { class: 'hidden' })
  field.value = text
  document.body.append(field)
  field.select()
  const isCopied = document.execCommand('copy')
  field.remove()
  if (!isCopied) throw new Error('the browser does not allow it')
}

const COPIED_SHOWN_MS = 2000

function copyButton(label, text) {
  const button = element('button', { class: 'copy', type: 'button', 'aria-label': label }, 'Copy')
  button.addEventListener('click', async () => {
    const isCopied = await copy(text()).then(
      () => true,
      () => false,
    )
    button.textContent = isCopied ? 'Copied' : 'Not copied'
    announce(isCopied ? 'Copied' : 'The browser does not allow copying.')
    setTimeout(() => (button.textContent = 'Copy'), COPIED_SHOWN_MS)
  })
  return button
}

for (const block of document.querySelectorAll('figure.code')) {
  const pre = block.querySelector('pre')
  block.append(copyButton('Copy this code', () => pre.textContent.trimEnd()))
}
for (const named of document.querySelectorAll('code[data-copy]')) {
  named.after(copyButton(`Copy ${named.textContent}`, () => named.textContent))
}

// --- Search

const SHOWN_MAX = 12
const box = document.querySelector('.search')
if (box !== null) addSearch(box)

function addSearch(box) {
  const input = element('input', {
    type: 'search',
    role: 'combobox',
    placeholder: 'Search the docs  /',
    'aria-label': 'Search the documentation',
    'aria-autocomplete': 'list',
    'aria-controls': 'found',
    'aria-expanded': 'false',
    autocomplete: 'off',
    spellcheck: 'false',
  })
  const list = element('div', { id: 'found', class: 'found', role: 'listbox', 'aria-label': 'Results' })
  list.hidden = true
  box.append(input, list)

  /** Entries of the index; a promise from the first use on. */
  let loading
  let selected = -1
  /** Of several searches under way only the last one is shown. */
  let turn = 0

  const load = () => {
    loading ??= fetch(box.dataset.index)
      .then((response) =>
        response.ok ? response.json() : Promise.reject(new Error(String(response.status))),
      )
      .then(entriesOf)
    // The next search tries again.
    loading.catch(() => (loading = undefined))
    return loading
  }

  function show(isOpen) {
    list.hidden = !isOpen
    input.setAttribute('aria-expanded', String(isOpen))
    if (!isOpen) select(-1)
  }

  function select(index) {
    const options = [...list.querySelectorAll('[role=option]')]
    selected = index
    for (const [position, option] of options.entries())
      option.setAttribute('aria-selected', String(position === index))
    const option = options[index]
    if (option === undefined) return input.removeAttribute('aria-activedescendant')
    input.setAttribute('aria-activedescendant', option.id)
    option.scrollIntoView({ block: 'nearest' })
  }

  async function search() {
    const own = ++turn
    const words = input.value.toLowerCase().split(/\s+/).filter(Boolean)
    if (words.length === 0) return show(false)
    let found
    try {
      found = find(await load(), words)
    } catch {
      if (own === turn) say('The search index could not be loaded.')
      return
    }
    if (own !== turn) return
    if (found.length === 0) return say(`No results for “${input.value.trim()}”.`)
    list.replaceChildren(...found.map(optionOf))
    show(true)
    select(0)
    announce(`${found.length === SHOWN_MAX ? 'The best ' : ''}${found.length} results`)
  }

  function say(text) {
    list.replaceChildren(element('p', {}, text))
    show(true)
    announce(text)
  }

  input.addEventListener('focus', () => load().catch(() => undefined), { once: true })
  input.addEventListener('input', search)
  input.addEventListener('keydown', (event) => {
    const options = list.querySelectorAll('[role=option]')
    const step = { ArrowDown: 1, ArrowUp: -1 }[event.key]
    if (step !== undefined && list.hidden) {
      event.preventDefault()
      void search()
    } else if (step !== undefined && options.length > 0) {
      event.preventDefault()
      select((selected + step + options.length) % options.length)
    } else if (event.key === 'Enter' && !list.hidden && options[selected] !== undefined) {
      event.preventDefault()
      options[selected].click()
    } else if (event.key === 'Escape') {
      event.preventDefault()
      if (list.hidden) input.blur()
      show(false)
    }
  })
  list.addEventListener('click', () => show(false))
  document.addEventListener('pointerdown', (event) => {
    if (!box.contains(event.target)) show(false)
  })
  box.addEventListener('focusout', (event) => {
    if (!box.contains(event.relatedTarget)) show(false)
  })
  document.addEventListener('keydown', (event) => {
    const isTyping = event.target.closest('input, textarea, select, [contenteditable]') !== null
    if (event.key !== '/' || isTyping || event.ctrlKey || event.metaKey || event.altKey) return
    event.preventDefault()
    input.focus()
    input.select()
  })
}

/** Each page and each part of a page, with what is compared in lower case. */
function entriesOf(pages) {
  return pages.flatMap(({ path, title, text, words, parts }) => [
    { path, title, text, words, page: '' },
    ...parts.map(([anchor, heading, sentence, others]) => ({
      path: `${path}#${anchor}`,
      title: heading,
      text: sentence,
      words: others,
      page: title,
    })),
  ])
}

/** The entries that hold all words, those first that have them in their title. */
function find(entries, words) {
  return entries
    .map((entry) => ({ entry, score: words.reduce((sum, word) => sum + scoreOf(entry, word), 0) }))
    .filter(({ score }) => Number.isFinite(score))
    .toSorted((a, b) => b.score - a.score)
    .slice(0, SHOWN_MAX)
    .map(({ entry }) => entry)
}

function scoreOf({ title, page, text, words }, word) {
  const heading = title.toLowerCase()
  const at = heading.indexOf(word)
  // A whole page is a better answer than a part of one that has the same word.
  const whole = page === '' ? 1 : 0
  if (heading === word) return 12 + whole
  if (at === 0) return 8 + whole
  if (at > 0) return (/[\s/_.-]/.test(heading[at - 1]) ? 6 : 3) + whole
  if (text.toLowerCase().includes(word)) return 2
  if (page.toLowerCase().includes(word)) return 1
  // A word that begins so: `metric` finds `metrics_token`, `or` does not find `error`.
  return words.startsWith(word) || words.includes(` ${word}`) ? 0 : -Infinity
}

function optionOf({ path, title, text, page }, index) {
  const where = page === '' ? '' : ` · ${page}`
  return element(
    'a',
    { href: path, id: `found-${index}`, role: 'option', tabindex: '-1', 'aria-selected': 'false' },
    element('b', {}, title),
    where,
    element('small', {}, text),
  )
}
