public import Operations

/// A text value whose field may also be null, as its schema says; ``Edit`` takes the null.
public struct Nullable<Value: TextValue>: TextValue {
  /// The value.
  public let value: Value

  /// That value.
  public init(_ value: Value) { self.value = value }

  public init(text: String) throws(FieldRule) { value = try Value(text: text) }

  public var description: String { value.description }

  public static var placeholder: Self { Self(Value.placeholder) }

  public static var schema: JSON { ["anyOf": [Value.schema, ["type": "null"]]] }
}
