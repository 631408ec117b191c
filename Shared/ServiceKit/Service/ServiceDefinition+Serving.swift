import GRDB
import Operations
import Storage

// How operations are served, whatever kind of call their handlers get: ``AccountCall`` or ``OpenCall``.

extension ServiceDefinition {
  /// Makes the kind of call that a handler gets from the call that arrived.
  typealias MakeCall<C> = @Sendable (OpenCall) async throws -> C

  mutating func addRead<O: Operation, C: Call, Prepared: Sendable>(
    _ operation: O.Type, _ makeCall: @escaping MakeCall<C>,
    prepare: @escaping @Sendable (O.Input, C) async throws -> Prepared,
    read body: @escaping @Sendable (O.Input, Prepared, C, Database) throws -> O.Output
  ) {
    add(operation) { input, open, _ in
      let call = try await makeCall(open)
      let prepared = try await prepare(input, call)
      // Encoded on the reader's thread: a long list takes time, which readers have.
      return try await open.store.read { database in try body(input, prepared, call, database).json }
    }
  }

  /// A write that needs nothing but the store. Its transaction detects whether the call is a retry.
  mutating func addWrite<O: Operation, C: Call>(
    _ operation: O.Type, _ makeCall: @escaping MakeCall<C>,
    write body: @escaping @Sendable (O.Input, C, Transaction) throws -> O.Output,
    isLarge: @escaping @Sendable (O.Input) -> Bool = { _ in false },
    afterwards: @escaping @Sendable (O.Input, C) async throws -> Void
  ) {
    add(operation, keepsRecord: true) { input, open, request in
      let call = try await makeCall(open)
      let owner = isLarge(input) ? open.caller.account?.description : nil
      let write: @Sendable (Transaction) throws -> [UInt8] = { transaction in
        try open.refuseErased(transaction)
        return try body(input, call, transaction).json
      }
      let (trace, usesReserve) = (open.header.traceparent, open.usesReserve)
      let json: [UInt8]
      if O.spec.takesIdempotencyKey, let key = open.idempotencyKey(payload: request.payload) {
        json = try await open.store.write(
          idempotency: key, traceparent: trace, usingReserve: usesReserve, largeOf: owner, write)
      } else {
        json = try await open.store.write(traceparent: trace, usingReserve: usesReserve, largeOf: owner, write)
      }
      try await afterwards(input, call)
      return json
    }
  }

  /// A write after a preparation. A retry is answered before the preparation, which may fail by now because the first call has taken
  /// effect.
  mutating func addWrite<O: Operation, C: Call, Prepared: Sendable>(
    _ operation: O.Type, _ makeCall: @escaping MakeCall<C>,
    prepare: @escaping @Sendable (O.Input, C) async throws -> Prepared,
    write body: @escaping @Sendable (O.Input, Prepared, C, Transaction) throws -> O.Output,
    isLarge: @escaping @Sendable (O.Input) -> Bool = { _ in false },
    afterwards: @escaping @Sendable (O.Input, C) async throws -> Void
  ) {
    add(operation, keepsRecord: true) { input, open, request in
      let call = try await makeCall(open)
      let owner = isLarge(input) ? open.caller.account?.description : nil
      let write: @Sendable (Prepared, Transaction) throws -> [UInt8] = { prepared, transaction in
        try open.refuseErased(transaction)
        return try body(input, prepared, call, transaction).json
      }
      let (trace, usesReserve) = (open.header.traceparent, open.usesReserve)
      let json: [UInt8]
      if O.spec.takesIdempotencyKey, let key = open.idempotencyKey(payload: request.payload) {
        json = try await open.store.write(
          idempotency: key, traceparent: trace, usingReserve: usesReserve, largeOf: owner,
          prepare: { try await prepare(input, call) }, repeated: { $0 }
        ) { prepared, transaction in
          let json = try write(prepared, transaction)
          return (json, record: json)
        }
      } else {
        let prepared = try await prepare(input, call)
        json = try await open.store.write(traceparent: trace, usingReserve: usesReserve, largeOf: owner) {
          try write(prepared, $0)
        }
      }
      try await afterwards(input, call)
      return json
    }
  }

  mutating func addAttempt<O: Operation, C: Call, Prepared: Sendable>(
    _ operation: O.Type, _ makeCall: @escaping MakeCall<C>,
    prepare: @escaping @Sendable (O.Input, C) async throws -> Prepared,
    write body: @escaping @Sendable (O.Input, Prepared, C, Transaction) throws -> Result<O.Output, Failure>
  ) {
    addKeyed(operation, makeCall) { input, key, call in
      try await call.write(
        idempotency: key, prepare: { try await prepare(input, call) }, repeated: { .success(try O.Output.decode($0)) }
      ) { prepared, transaction in
        try call.base.refuseErased(transaction)
        let result = try body(input, prepared, call, transaction)
        guard case .success(let output) = result else { return (result, record: nil) }
        return (result, record: output.json)
      }.get()
    }
  }

  mutating func addKeyed<O: Operation, C: Call>(
    _ operation: O.Type, _ makeCall: @escaping MakeCall<C>,
    _ body: @escaping @Sendable (O.Input, IdempotencyKey?, C) async throws -> O.Output
  ) {
    add(operation, keepsRecord: true) { input, open, request in
      let key = O.spec.takesIdempotencyKey ? open.idempotencyKey(payload: request.payload) : nil
      return try await body(input, key, try await makeCall(open)).json
    }
  }
}
