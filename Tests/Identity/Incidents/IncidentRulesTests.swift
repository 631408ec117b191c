import IdentityContract
import Operations
import Testing

@testable import IdentityService

@Suite("Rules of incidents (ID-15)")
struct IncidentRulesTests {
  private func found(_ window: FailureWindow) -> [String] {
    let findings = IncidentRules.findings(window)
    return (findings.account + findings.address).map { "\($0.pattern) \($0.severity)" }
  }

  @Test(
    "Failed attempts are classified by what they have in common",
    arguments: [
      (FailureWindow(), []),
      (FailureWindow(failuresAtAccount: 4, addressesAtAccount: 4, loginsFromAddress: 4), []),
      (FailureWindow(failuresAtAccount: 5, addressesAtAccount: 1, loginsFromAddress: 1), ["accountGuessed warning"]),
      (FailureWindow(failuresAtAccount: 20, addressesAtAccount: 1, loginsFromAddress: 1), ["accountGuessed critical"]),
      (FailureWindow(failuresAtAccount: 1, addressesAtAccount: 1, loginsFromAddress: 5), ["addressGuessing warning"]),
      (FailureWindow(failuresAtAccount: 1, addressesAtAccount: 1, loginsFromAddress: 20), ["addressGuessing critical"]),
      (
        FailureWindow(failuresAtAccount: 5, addressesAtAccount: 5, loginsFromAddress: 1),
        ["accountGuessed warning", "accountGuessedWidely warning"]
      ),
      (
        FailureWindow(failuresAtAccount: 12, addressesAtAccount: 10, loginsFromAddress: 7),
        ["accountGuessed warning", "accountGuessedWidely critical", "addressGuessing warning"]
      ),
    ])
  func failures(window: FailureWindow, expected: [String]) { #expect(found(window) == expected) }

  @Test(
    "Refused proofs of external providers are classified by what they have in common",
    arguments: [
      (ProofWindow(), []), (ProofWindow(proofsFromAddress: 9, addressesAtProvider: 4), []),
      (ProofWindow(proofsFromAddress: 10, addressesAtProvider: 1), ["proofsForged warning"]),
      (ProofWindow(proofsFromAddress: 43, addressesAtProvider: 1), ["proofsForged critical"]),
      (ProofWindow(proofsFromAddress: 1, addressesAtProvider: 5), ["providerDoubtful warning"]),
      (ProofWindow(proofsFromAddress: 10, addressesAtProvider: 20), ["proofsForged warning", "providerDoubtful critical"]),
    ])
  func proofs(window: ProofWindow, expected: [String]) {
    let findings = IncidentRules.findings(window)
    #expect([findings.address, findings.provider].compactMap { $0.map { "\($0.pattern) \($0.severity)" } } == expected)
  }

  @Test(
    "Other security events are an incident once they reach their number",
    arguments: [
      (IncidentPattern.tokensReused, 0, nil), (.tokensReused, 1, .warning), (.tokensReused, 3, .critical),
      (.linksGuessed, 9, nil), (.linksGuessed, 10, .warning), (.linksGuessed, 5000, .warning), (.riskyLogin, 1, .critical),
      (.administratorAppointed, 1, .critical),
      (.secretsFailing, 1, .critical),
      (.ledgerFailing, 1, .critical),
      (.proofsForged, 9, nil), (.proofsForged, 10, .warning), (.proofsForged, 39, .warning), (.proofsForged, 40, .critical),
      (.providerDoubtful, 4, nil), (.providerDoubtful, 5, .warning), (.providerDoubtful, 20, .critical),
    ] as [(IncidentPattern, Int, SecuritySeverity?)])
  func numbers(pattern: IncidentPattern, count: Int, severity: SecuritySeverity?) {
    #expect(IncidentRules.finding(pattern, count)?.severity == severity)
  }

  @Test("Every pattern of incidents has a measure, and words in every language", arguments: IncidentPattern.allCases)
  func words(pattern: IncidentPattern) {
    for severity in SecuritySeverity.allCases { #expect(!IncidentRules.measures(pattern, severity).isEmpty) }
    for language in Language.allCases {
      #expect(!SecurityWords.title(pattern, language).hasPrefix("incident."))
      #expect(!SecurityWords.recommendation(pattern, language).hasPrefix("incident."))
    }
  }
}
