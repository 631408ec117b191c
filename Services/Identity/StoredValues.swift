public import GRDB
public import IdentityContract
import Storage

// The contract's values lie in the tables as their text.

extension EmailAddress: DatabaseValueConvertible {}
extension PersonName: DatabaseValueConvertible {}
extension Nickname: DatabaseValueConvertible {}
extension TimeZoneName: DatabaseValueConvertible {}
extension PersonalAccessTokenName: DatabaseValueConvertible {}
extension ConsentPurpose: DatabaseValueConvertible {}
extension DirectoryVisibility: DatabaseValueConvertible {}
extension ProfileVisibility: DatabaseValueConvertible {}
extension TaskEnrollment: DatabaseValueConvertible {}
extension SessionRevoked.Reason: DatabaseValueConvertible {}
extension LoginAlertLevel: DatabaseValueConvertible {}
extension LoginAlertAnswer: DatabaseValueConvertible {}
extension SecuritySeverity: DatabaseValueConvertible {}
extension IncidentPattern: DatabaseValueConvertible {}
extension ReportPeriod: DatabaseValueConvertible {}
