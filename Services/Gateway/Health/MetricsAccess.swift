public import Operations

/// Whom `/metrics` answers, by `racha.metrics`.
public enum MetricsAccess: String, Choice {
  /// This machine alone, see ``LocalAccess``.
  case local
  case all
  /// Nobody: a proxy on this machine that adds no header cannot be told from this machine.
  case off
}
