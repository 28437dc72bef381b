import "../tailwind.css";
import "../look.css";

export default function Frame({ children }: LayoutProps<"/">) {
  return (
    <div className="mx-auto max-w-[720px] px-6">
      <link rel="icon" href="/favicon.svg" type="image/svg+xml" />
      <header className="flex min-h-16 flex-wrap items-center justify-between gap-x-6 gap-y-2 border-b border-hair">
        <a className="inline-flex min-h-11 items-center gap-2.5 font-semibold text-ink no-underline" href="/">
          <img src="/favicon.svg" alt="" width="24" height="24" />
          Notes
        </a>
        <nav aria-label="Application">
          <a href="/break" data-prefetch="none">
            Break something
          </a>
        </nav>
      </header>
      {children}
    </div>
  );
}
