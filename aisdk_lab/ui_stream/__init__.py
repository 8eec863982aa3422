"""What a UI Message Stream may say: the vocabulary of `ai` 7.0.173 as tables, and the pure functions that read them."""
