/// What was added to the table of accounts for passwords.
enum PasswordSchema {
  static let changes = """
    ALTER TABLE accounts ADD COLUMN password_changed_at INTEGER;
    """
}
