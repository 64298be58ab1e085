/** The element that browsers which translate a page put in place of a text, or around it. React makes none. */
const WRAPPER = "FONT";

/** The wrappers that stand in place of texts which are no longer in the document. */
const wrappers = new WeakMap<Node, ChildNode>();

/** Brings a text back whose wrapper shows what it was before; the browser then translates it anew. */
const changes = new MutationObserver((records) => {
  for (const { target } of records) if (!target.parentNode) wrappers.get(target)?.replaceWith(target);
});

/**
 * Keeps the page whole while the browser translates it. React removes and moves its texts and inserts before them, which
 * throws where they were wrapped or replaced (facebook/react 11538). Their wrappers go, and are inserted before, in
 * their place. Called once, before anything is rendered.
 */
export function guardTranslatedTexts(): void {
  const { removeChild, insertBefore } = Node.prototype;
  const replaced = new MutationObserver(noteWrappers);
  replaced.observe(document, { childList: true, subtree: true });
  Node.prototype.removeChild = function <Child extends Node>(this: Node, child: Child): Child {
    if (child.parentNode === this) return removeChild.call(this, child) as Child;
    noteWrappers(replaced.takeRecords());
    standIn(child)?.remove();
    wrappers.delete(child);
    return child;
  };
  Node.prototype.insertBefore = function <Child extends Node>(this: Node, child: Child, before: Node | null): Child {
    noteWrappers(replaced.takeRecords());
    if (child instanceof Text && child.parentNode !== this) standIn(child)?.remove();
    const place = before && before.parentNode !== this ? standIn(before) : before;
    return insertBefore.call(this, child, place?.parentNode === this ? place : null) as Child;
  };
}

/** The node in the document for a node that React knows: its outermost wrapper, or the wrapper that replaced it. */
function standIn(node: Node): ChildNode | undefined {
  if (!node.parentNode) return wrappers.get(node);
  let found = node as ChildNode;
  while (found.parentElement?.nodeName === WRAPPER) found = found.parentElement;
  return found;
}

/** Notes which wrapper was put beside or in place of each text that went. */
function noteWrappers(records: readonly MutationRecord[]): void {
  const added = records.flatMap(({ addedNodes }) => [...addedNodes]).filter(({ nodeName }) => nodeName === WRAPPER);
  if (added.length === 0) return;
  const taken = new Set<Node>();
  for (const { removedNodes, addedNodes, previousSibling, nextSibling } of records) {
    for (const node of removedNodes) {
      const near = [...addedNodes, previousSibling, nextSibling].find(
        (each) => each && added.includes(each) && !taken.has(each),
      );
      if (!(node instanceof Text) || !near || node.parentNode) continue;
      taken.add(near);
      wrappers.set(node, near as ChildNode);
      changes.observe(node, { characterData: true });
    }
  }
}
