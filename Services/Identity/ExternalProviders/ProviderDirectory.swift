import Operations
import ServiceKit

/// A provider's metadata, fetched on demand and cached: its endpoints and its keys.
///
/// Concurrent callers share one request. If a refresh fails, the former metadata stays valid for another day.
actor ProviderDirectory {
  /// How long it is taken as it is.
  static let freshSeconds = 3600
  /// How long it is taken while the provider cannot be asked.
  static let usableSeconds = 86_400
  /// How long an unknown key id leads to no further look at the keys: anybody can name one.
  static let keysRestSeconds = 30

  /// The endpoints that a flow needs.
  struct Metadata: Sendable {
    let authorization: ProviderURL
    let token: ProviderURL
    let keys: ProviderURL
    /// Where a token can be given back; nil where nothing is said of one that could be used.
    let revocation: ProviderURL?
    /// Whether the answer of its authorization endpoint always names it (RFC 9207).
    let namesItself: Bool
    let takesSecretInForm: Bool
  }

  private struct Kept<Value: Sendable>: Sendable {
    let value: Value
    let at: Instant
  }

  private let provider: ProviderSettings
  private let web: ProviderWeb
  private let clock: Clock
  private var metadata: Kept<Metadata>?
  private var keys: Kept<[ProviderKey]>?
  private var fetchingMetadata: Task<Metadata, any Error>?
  private var fetchingKeys: Task<[ProviderKey], any Error>?
  /// When the keys were last asked for.
  private var keysAskedAt: Instant?
  /// Why they could not be had then; nil if they could.
  private var keysError: (any Error)?

  init(_ provider: ProviderSettings, web: ProviderWeb, clock: Clock) {
    self.provider = provider
    self.web = web
    self.clock = clock
  }

  /// The provider's endpoints.
  func endpoints() async throws -> Metadata {
    if let metadata, isWithin(metadata.at, Self.freshSeconds) { return metadata.value }
    let task: Task<Metadata, any Error>
    if let fetchingMetadata {
      task = fetchingMetadata
    } else {
      task = Task { [provider, web] in try await Self.fetchMetadata(provider, web) }
      fetchingMetadata = task
    }
    do {
      let found = try await task.value
      if fetchingMetadata == task { fetchingMetadata = nil }
      metadata = Kept(value: found, at: clock.now)
      return found
    } catch {
      if fetchingMetadata == task { fetchingMetadata = nil }
      guard let metadata, isWithin(metadata.at, Self.usableSeconds) else { throw error }
      return metadata.value
    }
  }

  /// The key of that id; without an id, the only key of that algorithm. An unknown id causes a refresh.
  ///
  /// - Throws: ``ProviderError``, also where the key is not among the former keys and the current ones cannot be fetched: the token then
  ///   proves nothing, but is no forgery either.
  func key(id: String?, algorithm: String) async throws -> Result<ProviderKey, IDTokenFault> {
    var known: [ProviderKey] = []
    if let keys, isWithin(keys.at, Self.freshSeconds) { known = keys.value }
    var found = Self.choose(known, id, algorithm)
    if case .failure(.unknownKey) = found, fetchingKeys != nil || !isResting {
      known = try await fetchKeys()
      found = Self.choose(known, id, algorithm)
    }
    if case .failure(.unknownKey) = found, let keysError { throw keysError }
    return found
  }

  private var isResting: Bool {
    guard let keys, isWithin(keys.at, Self.freshSeconds), let keysAskedAt else { return false }
    return isWithin(keysAskedAt, Self.keysRestSeconds)
  }

  private func fetchKeys() async throws -> [ProviderKey] {
    let url = try await endpoints().keys
    let task: Task<[ProviderKey], any Error>
    if let fetchingKeys {
      task = fetchingKeys
    } else {
      keysAskedAt = clock.now
      task = Task { [web] in
        let bytes = try await web.get(url)
        do {
          return try await ProviderKey.set(bytes)
        } catch {
          throw ProviderError.unavailable("keys_malformed")
        }
      }
      fetchingKeys = task
    }
    do {
      let found = try await task.value
      if fetchingKeys == task { fetchingKeys = nil }
      keys = Kept(value: found, at: clock.now)
      keysError = nil
      return found
    } catch {
      if fetchingKeys == task { fetchingKeys = nil }
      keysError = error
      guard let keys, isWithin(keys.at, Self.usableSeconds) else { throw error }
      return keys.value
    }
  }

  private func isWithin(_ instant: Instant, _ seconds: Int) -> Bool {
    let now = clock.now
    return instant <= now && now < instant.adding(seconds: seconds)
  }

  /// - Returns: `wrongAlgorithm` where the key of the id has another, `unknownKey` where there is none or more than one to choose from.
  private static func choose(_ keys: [ProviderKey], _ id: String?, _ algorithm: String) -> Result<ProviderKey, IDTokenFault> {
    let named = id.map { id in keys.filter { $0.id == id } } ?? keys.filter { $0.algorithm == algorithm }
    guard named.count == 1, let key = named.first else { return .failure(.unknownKey) }
    return key.algorithm == algorithm ? .success(key) : .failure(.wrongAlgorithm)
  }

  /// What is read of a provider's metadata (OpenID Connect Discovery 1.0, section 3; RFC 8414, section 2).
  private struct Description: Decodable {
    let issuer: String
    let authorization_endpoint: String?
    let token_endpoint: String?
    let jwks_uri: String?
    let revocation_endpoint: String?
    let authorization_response_iss_parameter_supported: Bool?
    let token_endpoint_auth_methods_supported: [String]?
  }

  private static func fetchMetadata(_ provider: ProviderSettings, _ web: ProviderWeb) async throws -> Metadata {
    guard let url = provider.issuer.discovery else { throw ProviderError.unavailable("metadata_malformed") }
    let bytes = try await web.get(url)
    let found: Description
    do {
      found = try ProviderDocument.decode(Description.self, bytes)
    } catch {
      throw ProviderError.unavailable("metadata_malformed")
    }
    guard found.issuer == provider.issuer.description else { throw ProviderError.unavailable("metadata_of_other_issuer") }
    func usable(_ text: String?) -> ProviderURL? {
      text.flatMap { ProviderURL($0) }.flatMap { !$0.isLoopback || provider.issuer.isLoopback ? $0 : nil }
    }
    func endpoint(_ text: String?, configured: ProviderURL? = nil) throws -> ProviderURL {
      guard let url = configured ?? usable(text) else { throw ProviderError.unavailable("metadata_endpoint_unusable") }
      return url
    }
    return Metadata(
      authorization: try endpoint(found.authorization_endpoint),
      token: try endpoint(found.token_endpoint, configured: provider.tokenEndpoint),
      keys: try endpoint(found.jwks_uri),
      // Nobody's login is to fail for want of it.
      revocation: usable(found.revocation_endpoint),
      namesItself: found.authorization_response_iss_parameter_supported ?? false,
      // Where nothing is said, it is the header (section 3 of Discovery); who has an endpoint of its own making takes the form.
      takesSecretInForm: found.token_endpoint_auth_methods_supported?.contains("client_secret_post")
        ?? (provider.tokenEndpoint != nil))
  }
}
