import type { FramesShown } from "../../server/find-frames.ts";
import { useAddress } from "../address.ts";
import { many } from "../charts/numbers.ts";

/** So few frames are seen at a glance. */
const fewFrames = 6;

/** Finds frames, and unfolds all of them. */
export function FrameSearch({ frames: { word, shown, total, isUnfolded } }: { frames: FramesShown }) {
  const address = useAddress();
  if (total <= fewFrames) return null;
  return (
    <div className="row-of-links">
      <form className="asks one-line" data-scroll="keep">
        <label>
          <span className="unseen">Find in the stack</span>
          <input
            type="search"
            name="frames"
            data-key="f"
            defaultValue={word}
            placeholder={`Find in ${many(total, "frame")}`}
          />
        </label>
        <button type="submit">
          Find <kbd>f</kbd>
        </button>
      </form>
      {word !== "" && (
        <span role="status">
          {shown} of {many(total, "frame")}
        </span>
      )}
      <a
        href={address({ frames: undefined, stack: isUnfolded ? undefined : "unfolded" })}
        data-scroll="keep"
        data-replace=""
        data-prefetch="none"
      >
        {word !== "" ? "All frames" : isUnfolded ? "Fold" : "Unfold all"}
      </a>
    </div>
  );
}
