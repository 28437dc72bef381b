/** The mark: a small holdfast, three roots that grip a bar. Takes the colour of the text around it. */
export function Mark({ size = 28 }: { size?: number }) {
  return (
    <svg
      width={size}
      height={size}
      viewBox="0 0 24 24"
      fill="none"
      stroke="currentColor"
      strokeWidth="2.2"
      strokeLinecap="round"
      aria-hidden="true"
    >
      <path d="M12 2v19M12 7c0 4-7 3-7 8v3.5c0 1.6.9 2.5 2.5 2.5M12 7c0 4 7 3 7 8v3.5c0 1.6-.9 2.5-2.5 2.5" />
      <path d="M1.5 15.5h21" />
    </svg>
  );
}
