/** A seedling in its pot, the only drawing, for empty states. */
export function PlantDrawing() {
  return (
    <svg width="96" height="96" viewBox="0 0 96 96" fill="none" aria-hidden="true">
      <path d="M48 62V36" stroke="#3f9c48" strokeWidth="3.5" strokeLinecap="round" />
      <path d="M48 46C48 34 39 26 24 26c0 12.5 9 20.5 24 20z" fill="#5cb560" />
      <path d="M48 37c0-13 8.5-21.5 25-22 0 14-9.5 22.5-25 22z" fill="#95ce98" />
      <path d="M29 60h38l-4.5 24a4 4 0 01-4 3.3H37.5a4 4 0 01-4-3.3z" fill="#c9825b" />
      <path
        d="M26 56.5A2.5 2.5 0 0128.5 54h39a2.5 2.5 0 012.5 2.5v4a2.5 2.5 0 01-2.5 2.5h-39a2.5 2.5 0 01-2.5-2.5z"
        fill="#b56d47"
      />
    </svg>
  );
}
