/// Does two things at the same time, and waits for both: what `async let` is for.
///
/// `async let` itself is not used in programs. Up to Swift 6.3 the runtime reads a task that has completed once more when its parent may
/// have freed it already; now and then that ends the process (mended in Swift 6.4: https://github.com/swiftlang/swift/pull/89883). The
/// child tasks of groups are not affected.
///
/// Where the caller is cancelled, so are both. If `second` fails, `first` is cancelled.
///
/// - Returns: the results of both.
/// - Throws: what `second` threw, otherwise what `first` threw; both have ended by then.
@discardableResult
public func concurrently<First: Sendable, Second, E: Error>(
  _ first: @escaping @Sendable () async throws(E) -> First, _ second: () async throws(E) -> Second
) async throws(E) -> (First, Second) {
  let (first, second) = await withTaskGroup(of: Result<First, E>.self) { group in
    group.addTask { await result(of: first) }
    let second = await result(of: second)
    if case .failure = second { group.cancelAll() }
    guard let first = await group.next() else { preconditionFailure("one child task was added") }
    return (first, second)
  }
  let last = try second.get()
  return (try first.get(), last)
}

private func result<T, E: Error>(of operation: () async throws(E) -> T) async -> Result<T, E> {
  do throws(E) {
    return .success(try await operation())
  } catch {
    return .failure(error)
  }
}
