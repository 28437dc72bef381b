/** Stars of three books, in memory. */
const books = new Map([
  ["walden", { title: "Walden", stars: 3 }],
  ["emma", { title: "Emma", stars: 5 }],
  ["ulysses", { title: "Ulysses", stars: 2 }],
]);

export const ratedBooks = () => [...books].map(([id, { title, stars }]) => ({ id, title, stars }));

/** Returns false if there is no such book. */
export function rateBook(id: string, stars: number): boolean {
  const book = books.get(id);
  if (!book) return false;
  book.stars = stars;
  return true;
}
