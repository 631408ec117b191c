import ActivityContract
import IdentityContract
import NotificationsContract
import Operations
import RewardsContract
import SocialContract

/// The operations of all services, from their contracts.
enum Everything {
  static let operations: [any Operations.Operation.Type] =
    [Contract.activity, .identity, .notifications, .rewards, .social].flatMap(\.operations)

  /// Those that an account may call, administrators' apart.
  static var accountOperations: [any Operations.Operation.Type] {
    operations.filter { $0.spec.caller.isAccount && $0.spec.caller != .administrator }
  }

  /// Those that are for a partner's people.
  static var partners: [OperationSpec] {
    operations.map { $0.spec }.filter { $0.caller == .partnerOwner || $0.caller == .partnerClerk }
  }

  /// Those that take an account to call.
  static var closed: [OperationSpec] { operations.map { $0.spec }.filter(\.caller.isAccount) }

  /// Those that only services may call.
  static var services: [OperationSpec] {
    operations.map { $0.spec }.filter { spec in
      if case .services = spec.caller { true } else { false }
    }
  }
}
