;; Finds the long strings of a JSON text that safeJson would spell as they are. Sixteen bytes are looked at at once, and
;; what is found in them is a bit for each: TypeScript, which has four bytes at once, takes four times as long.
(module
  ;; The text comes in windows. From address 64 on: up to 64 KiB of it, and 16 blanks. Before that: the two bytes before these.
  ;; From 65664 on: where strings begin and end, 4 bytes each.
  (memory (export "memory") 2)

  ;; What is known at the end of a window.
  (global $isOpen (mut i32) (i32.const 0))   ;; 1 in a string
  (global $start (mut i32) (i32.const 0))    ;; where that, or the last one, begins
  (global $unusual (mut i32) (i32.const 0))  ;; behind the last byte that safeJson would spell otherwise, or may
  (global $escaped (mut i32) (i32.const 0))  ;; 1 where the next byte is escaped

  ;; Takes where the window begins in the text, its bytes, and how many a long string has at least. Gives how many end in it.
  (func (export "scan") (param $base i32) (param $size i32) (param $long i32) (result i32)
    (local $address i32) (local $end i32) (local $place i32) (local $found i32)
    (local $bytes v128) (local $quotes i32) (local $slashes i32) (local $unusual i32) (local $escaped i32)
    (local $odd i32) (local $quote i32) (local $before i32)
    (local $last v128) (local $last2 v128) (local $hidden v128)

    (if (i32.eqz (local.get $base))
      (then
        (global.set $isOpen (i32.const 0))
        (global.set $start (i32.const 0))
        (global.set $unusual (i32.const 0))
        (global.set $escaped (i32.const 0))))
    (local.set $escaped (global.get $escaped))
    (local.set $found (i32.const 65664))
    (local.set $address (i32.const 64))
    (local.set $end (i32.add (local.get $address) (local.get $size)))

    (block $done
      (loop $next
        (br_if $done (i32.ge_u (local.get $address) (local.get $end)))
        (local.set $bytes (v128.load (local.get $address)))
        (local.set $place (i32.add (local.get $base) (i32.sub (local.get $address) (i32.const 64))))

        (local.set $quotes (i8x16.bitmask (i8x16.eq (local.get $bytes) (i8x16.splat (i32.const 0x22)))))
        (local.set $slashes (i8x16.bitmask (i8x16.eq (local.get $bytes) (i8x16.splat (i32.const 0x5c)))))
        (local.set $unusual (i8x16.bitmask (i8x16.lt_u (local.get $bytes) (i8x16.splat (i32.const 0x20)))))

        ;; A byte is escaped behind an odd number of backslashes. The subtraction carries through each run of them: where that
        ;; ends at a bit as odd as the one where the run began, its length is even. So does simdjson. Bit 16 is the next byte.
        (local.set $odd (i32.and (local.get $slashes) (i32.xor (local.get $escaped) (i32.const -1))))
        (local.set $odd
          (i32.xor
            (i32.sub
              (i32.or (i32.shl (local.get $odd) (i32.const 1)) (i32.const 0xaaaaaaaa))
              (local.get $odd))
            (i32.const 0xaaaaaaaa)))
        (local.set $escaped
          (i32.and
            (i32.xor (local.get $odd) (i32.or (local.get $slashes) (local.get $escaped)))
            (i32.const 0x1ffff)))
        (local.set $quotes (i32.and (local.get $quotes) (i32.xor (local.get $escaped) (i32.const -1))))

        ;; JSON.stringify escapes "\bfnrt by themselves: those whose lower and upper half have a bit in common here.
        (local.set $unusual
          (i32.or
            (local.get $unusual)
            (i32.and
              (local.get $escaped)
              (i8x16.bitmask
                (i8x16.eq
                  (v128.and
                    (i8x16.swizzle
                      (v128.const i8x16 0 0 7 0 2 0 4 0 0 0 0 0 8 0 4 0)
                      (v128.and (local.get $bytes) (i8x16.splat (i32.const 0x0f))))
                    (i8x16.swizzle
                      (v128.const i8x16 0 0 1 0 0 8 4 2 0 0 0 0 0 0 0 0)
                      (i8x16.shr_u (local.get $bytes) (i32.const 4))))
                  (v128.const i64x2 0 0))))))

        ;; What src/safe-json.ts escapes, or more: such a string is decoded, and spelled there. U+007F, `::` and `##[`:
        (local.set $last (v128.load (i32.sub (local.get $address) (i32.const 1))))
        (local.set $last2 (v128.load (i32.sub (local.get $address) (i32.const 2))))
        (local.set $hidden
          (v128.or
            (i8x16.eq (local.get $bytes) (i8x16.splat (i32.const 0x7f)))
            (v128.or
              (v128.and
                (i8x16.eq (local.get $bytes) (i8x16.splat (i32.const 0x3a)))
                (i8x16.eq (local.get $last) (i8x16.splat (i32.const 0x3a))))
              (v128.and
                (i8x16.eq (local.get $bytes) (i8x16.splat (i32.const 0x5b)))
                (v128.and
                  (i8x16.eq (local.get $last) (i8x16.splat (i32.const 0x23)))
                  (i8x16.eq (local.get $last2) (i8x16.splat (i32.const 0x23))))))))

        (if (i8x16.bitmask (local.get $bytes))
          (then
            ;; U+0080 to U+009F, U+00AD (c2 80 to 9f, ad)
            (local.set $hidden
              (v128.or
                (local.get $hidden)
                (v128.and
                  (i8x16.eq (local.get $last) (i8x16.splat (i32.const 0xc2)))
                  (v128.or
                    (i8x16.lt_u (local.get $bytes) (i8x16.splat (i32.const 0xa0)))
                    (i8x16.eq (local.get $bytes) (i8x16.splat (i32.const 0xad)))))))
            ;; U+0600 to U+0605, U+061C (d8 80 to 85, 9c)
            (local.set $hidden
              (v128.or
                (local.get $hidden)
                (v128.and
                  (i8x16.eq (local.get $last) (i8x16.splat (i32.const 0xd8)))
                  (v128.or
                    (i8x16.lt_u (local.get $bytes) (i8x16.splat (i32.const 0x86)))
                    (i8x16.eq (local.get $bytes) (i8x16.splat (i32.const 0x9c)))))))
            ;; U+06DD (db 9d), U+070F (dc 8f)
            (local.set $hidden
              (v128.or
                (local.get $hidden)
                (v128.or
                  (v128.and
                    (i8x16.eq (local.get $last) (i8x16.splat (i32.const 0xdb)))
                    (i8x16.eq (local.get $bytes) (i8x16.splat (i32.const 0x9d))))
                  (v128.and
                    (i8x16.eq (local.get $last) (i8x16.splat (i32.const 0xdc)))
                    (i8x16.eq (local.get $bytes) (i8x16.splat (i32.const 0x8f)))))))
            ;; U+0880 to U+08FF (e0 a2, a3), U+1800 to U+183F (e1 a0)
            (local.set $hidden
              (v128.or
                (local.get $hidden)
                (v128.or
                  (v128.and
                    (i8x16.eq (local.get $last) (i8x16.splat (i32.const 0xe0)))
                    (i8x16.eq
                      (v128.or (local.get $bytes) (i8x16.splat (i32.const 1)))
                      (i8x16.splat (i32.const 0xa3))))
                  (v128.and
                    (i8x16.eq (local.get $last) (i8x16.splat (i32.const 0xe1)))
                    (i8x16.eq (local.get $bytes) (i8x16.splat (i32.const 0xa0)))))))
            ;; U+200B to U+200F, U+2028 to U+202E (e2 80 8b to 8f, a8 to ae), U+2060 to U+207F (e2 81 a0 to bf)
            (local.set $hidden
              (v128.or
                (local.get $hidden)
                (v128.and
                  (i8x16.eq (local.get $last2) (i8x16.splat (i32.const 0xe2)))
                  (v128.or
                    (v128.and
                      (i8x16.eq (local.get $last) (i8x16.splat (i32.const 0x80)))
                      (v128.or
                        (i8x16.lt_u
                          (i8x16.sub (local.get $bytes) (i8x16.splat (i32.const 0x8b)))
                          (i8x16.splat (i32.const 5)))
                        (i8x16.lt_u
                          (i8x16.sub (local.get $bytes) (i8x16.splat (i32.const 0xa8)))
                          (i8x16.splat (i32.const 7)))))
                    (v128.and
                      (i8x16.eq (local.get $last) (i8x16.splat (i32.const 0x81)))
                      (i8x16.ge_u (local.get $bytes) (i8x16.splat (i32.const 0xa0))))))))
            ;; U+FEC0 to U+FEFF, U+FFC0 to U+FFFF (ef bb, bf)
            (local.set $hidden
              (v128.or
                (local.get $hidden)
                (v128.and
                  (i8x16.eq (local.get $last) (i8x16.splat (i32.const 0xef)))
                  (i8x16.eq
                    (v128.or (local.get $bytes) (i8x16.splat (i32.const 4)))
                    (i8x16.splat (i32.const 0xbf))))))
            ;; U+10000 to U+1EFFF (f0 90 to 9e), in which are scripts of the past; U+C0000 and more (f3), in which are tags
            (local.set $hidden
              (v128.or
                (local.get $hidden)
                (v128.or
                  (v128.and
                    (i8x16.eq (local.get $last) (i8x16.splat (i32.const 0xf0)))
                    (i8x16.lt_u (local.get $bytes) (i8x16.splat (i32.const 0x9f))))
                  (i8x16.eq (local.get $bytes) (i8x16.splat (i32.const 0xf3))))))))
        (local.set $unusual (i32.or (local.get $unusual) (i8x16.bitmask (local.get $hidden))))

        (loop $each
          (if (local.get $quotes)
            (then
              (local.set $quote (i32.add (local.get $place) (i32.ctz (local.get $quotes))))
              (if (i32.eqz (global.get $isOpen))
                (then (global.set $start (local.get $quote)))
                (else
                  (if (i32.ge_u (i32.sub (i32.add (local.get $quote) (i32.const 1)) (global.get $start)) (local.get $long))
                    (then
                      (local.set $before
                        (i32.and
                          (local.get $unusual)
                          (i32.xor (local.get $quotes) (i32.sub (local.get $quotes) (i32.const 1)))))
                      (if (local.get $before)
                        (then
                          (global.set $unusual
                            (i32.sub
                              (i32.add (local.get $place) (i32.const 32))
                              (i32.clz (local.get $before))))))
                      (if (i32.le_u (global.get $unusual) (global.get $start))
                        (then
                          (i32.store (local.get $found) (global.get $start))
                          (i32.store offset=4 (local.get $found) (i32.add (local.get $quote) (i32.const 1)))
                          (local.set $found (i32.add (local.get $found) (i32.const 8)))))))))
              (global.set $isOpen (i32.eqz (global.get $isOpen)))
              (local.set $quotes (i32.and (local.get $quotes) (i32.sub (local.get $quotes) (i32.const 1))))
              (br $each))))
        (if (local.get $unusual)
          (then
            (global.set $unusual
              (i32.sub (i32.add (local.get $place) (i32.const 32)) (i32.clz (local.get $unusual))))))

        (local.set $escaped (i32.shr_u (local.get $escaped) (i32.const 16)))
        (local.set $address (i32.add (local.get $address) (i32.const 16)))
        (br $next)))

    (global.set $escaped (local.get $escaped))
    (i32.shr_u (i32.sub (local.get $found) (i32.const 65664)) (i32.const 3))))
