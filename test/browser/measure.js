// Runs in a page: what of it is cut off, broken inside a word, or wider than what holds it. The value is a list of sentences.
;(() => {
  /** Rounding of layouts. */
  const SLACK = 1
  const faults = new Set()
  const nameOf = (element) => {
    const { localName, className, textContent } = element
    const classes =
      typeof className === 'string' && className !== '' ? `.${className.replaceAll(' ', '.')}` : ''
    return `${localName}${classes} "${textContent.trim().replaceAll(/\s+/g, ' ').slice(0, 50)}"`
  }
  const isShown = (element) => element.checkVisibility({ contentVisibilityAuto: true })

  /** One for each line that the range is in. */
  const topsOf = (range) => new Set([...range.getClientRects()].map(({ top }) => Math.round(top)))

  for (const folded of document.querySelectorAll('main details')) folded.open = true

  const { scrollWidth, clientWidth } = document.documentElement
  if (scrollWidth > clientWidth) faults.add(`the page scrolls sideways: ${scrollWidth} in ${clientWidth} px`)

  for (const element of document.body.querySelectorAll('*')) {
    if (!isShown(element) || element.closest('pre, svg, .hidden, .skip') !== null) continue
    // Of inline elements there is no width to compare with.
    if (element.clientWidth > 0 && element.scrollWidth > element.clientWidth + SLACK)
      faults.add(`${nameOf(element)} is cut off: ${element.scrollWidth} in ${element.clientWidth} px`)
    const { right, width } = element.getBoundingClientRect()
    if (width > 0 && right > clientWidth + SLACK)
      faults.add(`${nameOf(element)} leaves the window at ${right}`)
  }

  for (const table of document.querySelectorAll('table')) {
    if (!isShown(table)) continue
    const box = table.parentElement.getBoundingClientRect()
    const { left, right } = table.getBoundingClientRect()
    if (left < box.left - SLACK || right > box.right + SLACK)
      faults.add(`${nameOf(table)} is wider than its box`)
  }

  for (const button of document.querySelectorAll('.code .copy')) {
    if (!isShown(button)) continue
    const { right } = button.parentElement.querySelector('pre').getBoundingClientRect()
    if (button.getBoundingClientRect().left < right - SLACK)
      faults.add(`${nameOf(button.parentElement)} is covered`)
  }

  const range = document.createRange()
  for (const cell of document.querySelectorAll('td, th, .toc a, .outline a')) {
    if (!isShown(cell)) continue
    const walker = document.createTreeWalker(cell, NodeFilter.SHOW_TEXT)
    while (walker.nextNode()) {
      const node = walker.currentNode
      const parent = node.parentElement
      range.selectNodeContents(node)
      if (topsOf(range).size < 2 || parent.closest('.hidden') !== null) continue
      // In prose a line may end behind a hyphen or a slash; in code it may where there is a `<wbr>`, which ends a node.
      const words = parent.closest('code') === null ? /[^\s\-–—/?|…]+/g : /\S+/g
      for (const { index, 0: word } of node.data.matchAll(words)) {
        range.setStart(node, index)
        range.setEnd(node, index + word.length)
        if (topsOf(range).size > 1) faults.add(`"${word}" is broken in ${nameOf(cell)}`)
      }
    }
  }
  return [...faults]
})()
