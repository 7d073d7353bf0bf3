// Types of <related-documents> in JSX of React 19: `import type {} from "es-simhash-related-documents/react"`.

import type { HTMLAttributes, Ref } from "react";
import type {
  RelatedClick, RelatedDocumentsAttributes, RelatedDocumentsElement, RelatedError, RelatedLoaded,
} from "./related-documents.js";

interface RelatedDocumentsProps
  extends RelatedDocumentsAttributes, Omit<HTMLAttributes<RelatedDocumentsElement>, "dir" | "lang"> {
  ref?: Ref<RelatedDocumentsElement>;
  strings?: Record<string, string>;
  headers?: Record<string, string>;
  "onrelated-loaded"?: (event: CustomEvent<RelatedLoaded>) => void;
  "onrelated-error"?: (event: CustomEvent<RelatedError>) => void;
  "onrelated-click"?: (event: CustomEvent<RelatedClick>) => void;
}

declare module "react" {
  namespace JSX {
    interface IntrinsicElements {
      "related-documents": RelatedDocumentsProps;
    }
  }
}
