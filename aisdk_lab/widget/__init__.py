"""The sidebar: chat events become one document, and the document travels to its views."""
