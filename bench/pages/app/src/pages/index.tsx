export default function Home() {
  return (
    <>
      <h1>Hello</h1>
      <p>The same small application in every contender.</p>
      <ul>
        <li>
          <a href="/items/7" id="cold" data-prefetch="none">
            Item 7, not prefetched
          </a>
        </li>
        <li>
          <a href="/items/8" id="warm">
            Item 8, prefetched
          </a>
        </li>
      </ul>
    </>
  );
}
