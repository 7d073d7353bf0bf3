// Types of <related-documents>, for TypeScript; `import "es-simhash-related-documents"` defines the element.

export interface RelatedLoaded {
  documentId: string;
  versions: number;
  related: number;
  total: number | null;
  truncated: boolean;
}

export interface RelatedError {
  documentId: string;
  status: number | null;
}

export interface RelatedClick {
  documentId: string;
  id: string;
  kind: "exact" | "version" | "contains" | "excerpt_of" | "shares_passages" | "semantic";
  score: number | null;
  group: "versions" | "related";
  position: number;
  link: string;
}

/** The attributes, as HTML and JSX write them. */
export interface RelatedDocumentsAttributes {
  "document-id": string;
  src?: string;
  size?: number | string;
  "max-versions"?: number | string;
  "max-related"?: number | string;
  options?: string;
  evidence?: boolean | "";
  lang?: string;
  dir?: "ltr" | "rtl";
  "link-pattern"?: string;
  "compare-pattern"?: string;
  "family-pattern"?: string;
  layout?: "list" | "columns" | "compact";
  "heading-level"?: number | string;
}

export interface RelatedDocumentsElement extends HTMLElement {
  /** Texts of one's own, by name, in place of those of the language. */
  strings: Record<string, string>;
  /** Headers of the request, such as a signed token. */
  headers: Record<string, string>;
  /** Ask the service again. */
  reload(): void;
}

declare global {
  interface HTMLElementTagNameMap {
    "related-documents": RelatedDocumentsElement;
  }
  interface HTMLElementEventMap {
    "related-loaded": CustomEvent<RelatedLoaded>;
    "related-error": CustomEvent<RelatedError>;
    "related-click": CustomEvent<RelatedClick>;
  }
}
