import { Form, useActions, useFetcher, useOptimistic } from "holdfast";
import { actions } from "./stars.actions.server.ts";

const choices = [0, 1, 2, 3, 4, 5];

/** Shows the choice at once. Without JavaScript the form posts it, and the page answers. */
export function Stars({ book: { id, title, stars } }: { book: { id: string; title: string; stars: number } }) {
  const { rate } = useActions(actions);
  const rating = useFetcher(rate, { of: id, calls: "replace" });
  const shown = useOptimistic(rating, stars, (_, { stars }) => Number(stars));
  return (
    <Form action={rate} of={id} className="stars" aria-label={`Stars of ${title}`}>
      <input type="hidden" name="book" value={id} />
      {choices.map((choice) => (
        <button
          key={choice}
          type="submit"
          className="button"
          name="stars"
          value={choice}
          aria-pressed={choice === shown.value}
          onClick={(event) => {
            event.preventDefault();
            void rating.post({ book: id, stars: `${choice}` });
          }}
        >
          {choice} ★
        </button>
      ))}
      <output aria-label={`What the server says of ${title}`}>{rating.pending ? "Saving" : `Saved: ${stars} ★`}</output>
    </Form>
  );
}
