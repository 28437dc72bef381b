import { Image } from "holdfast";
import eventPicture from "../../../../docs/console/event.png?image";
import issuesPicture from "../../../../docs/console/issues.png?image";
import tracePicture from "../../../../docs/console/trace.png?image";
import { Moved, Picture } from "../../try/chosen-files.tsx";

const sizes = "(max-width: 900px) 100vw, 820px";

export default function Pictures() {
  return (
    <div className="stack">
      <Moved />
      <Picture caption="The first one has priority: it is preloaded in the head of the document.">
        <Image src={issuesPicture} alt="Issues of a shop, the most frequent first" sizes={sizes} priority />
      </Picture>
      <Picture caption="This one is loaded when it is near the window.">
        <Image src={eventPicture} alt="An event: the line that failed, and who met it" sizes={sizes} />
      </Picture>
      <Picture caption="And this one when you scroll on.">
        <Image src={tracePicture} alt="A trace, from the click to the database" sizes={sizes} />
      </Picture>
    </div>
  );
}
